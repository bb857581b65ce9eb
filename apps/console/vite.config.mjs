// How the console is bundled: everything it needs is in its own output, every asset's name carries a hash of its
// content, and nothing is inlined into the page, so that the strict content security policy of the api holds.
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const project = resolve(here, '../..');

/** `#libs/x.js` means the TypeScript source of the project here, not the program's own output. */
const sources = {
  name: 'project-sources',
  enforce: 'pre',
  resolveId(id) {
    const path = /^#(libs\/.+)\.js$/.exec(id)?.[1];
    return path === undefined ? null : resolve(project, `${path}.ts`);
  },
};

export default {
  root: here,
  configFile: false,
  publicDir: false,
  base: '/',
  plugins: [sources],
  build: {
    outDir: resolve(project, 'dist/console'),
    emptyOutDir: true,
    assetsDir: 'assets',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    sourcemap: false,
    reportCompressedSize: false,
  },
  // The development server asks a running instance for everything but its own files.
  server: {
    port: 5173,
    proxy: {
      '^/(v1|tokens|screener|search|status|chains|health|ready|stream)': 'http://127.0.0.1:4200',
      '/ws': { target: 'ws://127.0.0.1:4200', ws: true },
    },
  },
};
