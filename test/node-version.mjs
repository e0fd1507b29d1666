// Loaded before any .ts file (`node --import ./test/node-version.mjs ...`), so it must itself run
// on an old Node: Node older than 24.12 does not run TypeScript as this project writes it.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 12)) {
  process.stderr.write(
    `albridge needs Node 24.12 or newer, and this is ${process.versions.node}. On Linux the right one comes with ` +
      '`npm ci`: run the npm scripts (npm test, npm run demo ...), or `npx node` in place of `node`. Elsewhere install it.\n',
  );
  process.exit(1);
}
