import { writeFile } from 'node:fs/promises';
import { routerDocument } from './router-document.js';

/** Writes the committed copy: `node dist/apps/router/src/openapi/write-document.js docs/openapi/router.yaml`. */
const target = process.argv[2];
if (target === undefined) throw new Error('name the file to write');
await writeFile(target, await routerDocument());
