export default { optimizeDeps: { exclude: ["millbase"] } };
