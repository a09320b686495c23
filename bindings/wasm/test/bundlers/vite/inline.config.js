export default { ssr: { noExternal: ["millbase"] } };
