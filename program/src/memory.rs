//! The memory that the system lets this program use.

/// The lowest limit on the program's memory besides that of the machine itself, in bytes, and what sets it: its
/// control group and those above it, which containers and services have, or `ulimit -v` for its address space.
pub fn limit() -> Option<(u64, &'static str)> {
    let limits: &[(Option<u64>, &str)] = &[
        #[cfg(target_os = "linux")]
        (group_bytes(), "its control group"),
        #[cfg(unix)]
        (address_space(), "'ulimit -v'"),
    ];
    let limits = limits.iter();
    let limits = limits.filter_map(|&(bytes, of)| Some((bytes?, of)));
    limits.min_by_key(|(bytes, _)| *bytes)
}

#[cfg(unix)]
fn address_space() -> Option<u64> {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::As).current
}

#[cfg(target_os = "linux")]
fn group_bytes() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    lowest(&groups, |file| std::fs::read_to_string(file).ok())
}

/// The lowest limit of the memory groups of `/proc/self/cgroup`. Version 2 has the line `0::/path`, version 1 a line
/// like `4:memory:/path`; a file says `max` or a huge number where there is no limit.
#[cfg(target_os = "linux")]
fn lowest(groups: &str, read: impl Fn(&std::path::Path) -> Option<String>) -> Option<u64> {
    use std::path::Path;
    let limits = groups.lines().flat_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next().unwrap_or("-"), fields.next().unwrap_or("/"));
        let (root, name) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            _ => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
        };
        let is_of_memory =
            controllers.is_empty() || controllers.split(',').any(|of| of == "memory");
        let groups = Path::new(path).ancestors().filter(move |_| is_of_memory);
        let folder = move |group: &Path| match group.strip_prefix("/") {
            Ok(inner) => Path::new(root).join(inner),
            Err(_) => root.into(),
        };
        groups.map(move |group| folder(group).join(name))
    });
    let limits = limits.filter_map(|file| read(&file)?.trim().parse().ok());
    limits.min()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_limit_of_the_groups_counts() {
        let files = [
            ("/sys/fs/cgroup/memory.max", "8000\n"),
            ("/sys/fs/cgroup/a/memory.max", "5000\n"),
            ("/sys/fs/cgroup/a/b/memory.max", "max\n"),
            ("/sys/fs/cgroup/memory/c/memory.limit_in_bytes", "3000\n"),
            (
                "/sys/fs/cgroup/memory/memory.limit_in_bytes",
                "9223372036854771712\n",
            ),
        ];
        let read = |file: &std::path::Path| {
            let found = files
                .iter()
                .find(|(name, _)| file == std::path::Path::new(name));
            found.map(|(_, text)| text.to_string())
        };
        for (groups, limit) in [
            ("0::/a/b\n", Some(5000)),
            ("0::/\n", Some(8000)),
            ("0::/other/of/a\n", Some(8000)),
            (
                "5:cpu,cpuacct:/c\n4:memory:/c\n1:name=systemd:/c\n",
                Some(3000),
            ),
            ("4:memory:/elsewhere\n", Some(9_223_372_036_854_771_712)),
            ("5:cpu:/c\n", None),
            ("nonsense\n", None),
            ("", None),
        ] {
            assert_eq!(lowest(groups, read), limit, "{groups}");
        }
    }
}
