# The page and the HTTP answers: docker build -t millbase . && docker run --rm -p 8024:8024 -v "$PWD/db:/db" millbase
# With an empty /db the databases that are part of the program answer.
FROM rust:1.95-bookworm@sha256:6258907abe69656e41cd992e0b705cdcfabcbbe3db374f92ed2d47121282d4a1 AS build
WORKDIR /source
COPY . .
RUN cargo build --locked --profile dist

FROM debian:bookworm-slim@sha256:96e378d7e6531ac9a15ad505478fcc2e69f371b10f5cdf87857c4b8188404716
COPY --from=build /source/target/dist/millbase /usr/local/bin/
COPY --from=build /source/LICENSE /source/LICENSE-APACHE /source/LICENSE-MIT /usr/local/share/doc/millbase/
RUN mkdir /db && chown nobody:nogroup /db
USER nobody
ENV MILLBASE_DB=/db
VOLUME /db
EXPOSE 8024
STOPSIGNAL SIGTERM
ENTRYPOINT ["millbase"]
CMD ["serve", "--listen", "0.0.0.0:8024", "--public"]
