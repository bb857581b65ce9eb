import { writeFile } from 'node:fs/promises';
import { apiDocument } from './api-document.js';

/** Writes the committed copy of the document: `node dist/apps/api/src/openapi/write-document.js docs/openapi/api.yaml`. */
const target = process.argv[2];
if (target === undefined) throw new Error('name the file to write');
await writeFile(target, await apiDocument());
