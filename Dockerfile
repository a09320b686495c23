# The page and the HTTP answers: docker build -t millbase . && docker run --rm -p 8024:8024 -v "$PWD/db:/db" millbase
# With an empty /db the databases that are part of the program answer.
FROM rust:1-bookworm AS build
WORKDIR /source
COPY . .
RUN cargo build --locked --profile dist

FROM debian:bookworm-slim
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
