// Documents only grow: what the last release described is still there, and nothing that was accepted is refused. Compares
// docs/openapi and docs/asyncapi with the copies of the last release in docs/released; a change that a decision asks for is listed below.
//   node scripts/additive.mjs
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Changes that were decided, to the letter, by document. The list is emptied with each release. */
export const decided = {
  'openapi/api.yaml': [],
  'openapi/router.yaml': [],
  'asyncapi/api.yaml': [],
};

/** Limits of a schema, and whether a value is narrower than the one before. */
const LIMITS = {
  minimum: (before, after) => after !== undefined && (before === undefined || after > before),
  minLength: (before, after) => after !== undefined && after > (before ?? 0),
  minItems: (before, after) => after !== undefined && after > (before ?? 0),
  maximum: (before, after) => after !== undefined && (before === undefined || after < before),
  maxLength: (before, after) => after !== undefined && (before === undefined || after < before),
  maxItems: (before, after) => after !== undefined && (before === undefined || after < before),
};

class Comparison {
  found = [];

  constructor(before, after) {
    this.before = before;
    this.after = after;
  }

  resolve(document, schema) {
    let at = schema;
    while (typeof at?.$ref === 'string') {
      at = at.$ref
        .slice(2)
        .split('/')
        .reduce((part, name) => part?.[name], document);
    }
    return at;
  }

  run() {
    if (this.before.asyncapi !== undefined) return this.channels();
    for (const [path, methods] of Object.entries(this.before.paths)) {
      for (const [method, before] of Object.entries(methods)) {
        const after = this.after.paths[path]?.[method];
        const name = `${method.toUpperCase()} ${path}`;
        if (after === undefined) this.found.push(`${name} is gone`);
        else this.operation(name, before, after);
      }
    }
    return this.found;
  }

  /** Of an AsyncAPI document: operations are what clients send, everything else they are sent. */
  channels() {
    for (const [channel, { messages }] of Object.entries(this.before.channels)) {
      for (const [message, before] of Object.entries(messages)) {
        const after = this.after.channels[channel]?.messages[message];
        const where = `${channel}, ${message}`;
        if (after === undefined) this.found.push(`${where} is gone`);
        else if (before.payload.properties?.op === undefined)
          this.answered(where, before.payload, after.payload, new Set());
        else this.accepted(where, before.payload, after.payload, new Set());
      }
    }
    return this.found;
  }

  operation(name, before, after) {
    const parameter = (list, { in: place, name: of }) =>
      (list ?? []).find((each) => each.in === place && each.name === of);
    for (const old of before.parameters ?? []) {
      const now = parameter(after.parameters, old);
      const where = `${name}, parameter ${old.name}`;
      if (now === undefined) this.found.push(`${where} is gone`);
      else {
        if (now.required === true && old.required !== true) this.found.push(`${where} is required now`);
        this.accepted(where, old.schema, now.schema, new Set());
      }
    }
    for (const now of after.parameters ?? []) {
      if (now.required === true && parameter(before.parameters, now) === undefined) {
        this.found.push(`${name}, parameter ${now.name} is new and required`);
      }
    }
    const body = ({ requestBody }) => requestBody?.content?.['application/json']?.schema;
    if (body(before) !== undefined) this.accepted(`${name}, body`, body(before), body(after), new Set());
    for (const [status, old] of Object.entries(before.responses)) {
      const now = after.responses[status];
      if (now === undefined) {
        this.found.push(`${name} answers no ${status} any more`);
        continue;
      }
      const oldSchema = this.resolve(this.before, old).content?.['application/json']?.schema;
      const newSchema = this.resolve(this.after, now).content?.['application/json']?.schema;
      if (oldSchema !== undefined) this.answered(`${name}, ${status}`, oldSchema, newSchema, new Set());
    }
  }

  /** What clients may send: nothing that was accepted is refused. */
  accepted(where, oldSchema, newSchema, seen) {
    const before = this.resolve(this.before, oldSchema);
    const after = this.resolve(this.after, newSchema);
    if (after === undefined) return void this.found.push(`${where} is gone`);
    if (this.visited(seen, before)) return;
    const lost = this.typesOf(before).filter(
      (type) => !this.typesOf(after).includes(type) && !(type === 'integer' && this.typesOf(after).includes('number')),
    );
    if (lost.length > 0) this.found.push(`${where} takes no ${lost.join(' or ')} any more`);
    const gone =
      after.enum === undefined
        ? []
        : (before.enum ?? ['any other value']).filter((value) => !after.enum.includes(value));
    if (gone.length > 0) this.found.push(`${where} does not take ${gone.join(', ')}`);
    for (const [limit, narrower] of Object.entries(LIMITS)) {
      if (narrower(before[limit], after[limit]))
        this.found.push(`${where}: ${limit} ${before[limit] ?? 'none'} became ${after[limit]}`);
    }
    if (after.pattern !== undefined && after.pattern !== before.pattern)
      this.found.push(`${where}: pattern ${before.pattern ?? 'none'} became ${after.pattern}`);
    this.alternatives(where, before, after, seen, 'accepted');
    for (const field of after.required ?? []) {
      if (!(before.required ?? []).includes(field)) this.found.push(`${where}.${field} is required now`);
    }
    for (const [field, old] of Object.entries(before.properties ?? {})) {
      const now = after.properties?.[field];
      if (now === undefined) this.found.push(`${where}.${field} is gone`);
      else this.accepted(`${where}.${field}`, old, now, seen);
    }
    if (before.items !== undefined) this.accepted(`${where}[]`, before.items, after.items, seen);
  }

  /** What clients are answered: every field is still there and is of no further kind. */
  answered(where, oldSchema, newSchema, seen) {
    const before = this.resolve(this.before, oldSchema);
    const after = this.resolve(this.after, newSchema);
    if (after === undefined) return void this.found.push(`${where} is gone`);
    if (this.visited(seen, before)) return;
    const further = this.typesOf(after).filter(
      (type) =>
        !this.typesOf(before).includes(type) && !(type === 'integer' && this.typesOf(before).includes('number')),
    );
    if (this.typesOf(before).length > 0 && further.length > 0)
      this.found.push(`${where} may be ${further.join(' or ')} now`);
    this.alternatives(where, before, after, seen, 'answered');
    for (const field of before.required ?? []) {
      if (after.properties !== undefined && !(after.required ?? []).includes(field))
        this.found.push(`${where}.${field} may be missing now`);
    }
    for (const [field, old] of Object.entries(before.properties ?? {})) {
      const now = after.properties?.[field];
      if (now === undefined) this.found.push(`${where}.${field} is gone`);
      else this.answered(`${where}.${field}`, old, now, seen);
    }
    if (before.items !== undefined) this.answered(`${where}[]`, before.items, after.items, seen);
    const { additionalProperties: old } = before;
    if (typeof old === 'object') this.answered(`${where}.*`, old, after.additionalProperties, seen);
  }

  /** Alternatives are compared with the ones of the same name, or in their order. */
  alternatives(where, before, after, seen, compare) {
    const listOf = (schema) => schema.anyOf ?? schema.oneOf ?? [];
    for (const [index, old] of listOf(before).entries()) {
      const named = listOf(after).find((each) => each.$ref !== undefined && each.$ref === old.$ref);
      const now =
        named ??
        (old.$ref === undefined ? listOf(after)[index] : undefined) ??
        (listOf(after).length === 0 ? after : undefined);
      this[compare](`${where} (${old.$ref?.split('/').pop() ?? index})`, old, now, seen);
    }
  }

  typesOf = (schema) => (schema.type === undefined ? [] : [schema.type].flat());

  visited(seen, schema) {
    if (seen.has(schema)) return true;
    if (schema.properties !== undefined) seen.add(schema);
    return false;
  }
}

/** What an earlier document promised and a later one does not keep, as sentences. */
export const breakingChanges = (before, after) => new Comparison(before, after).run();

export async function checkAdditive(root) {
  const { parse } = await import('yaml');
  const read = (path) => parse(readFileSync(join(root, path), 'utf8'));
  return Object.entries(decided).flatMap(([name, accepted]) => {
    const found = breakingChanges(read(`docs/released/${name}`), read(`docs/${name}`));
    return [
      ...found.filter((change) => !accepted.includes(change)).map((change) => `${name}: ${change}`),
      ...accepted
        .filter((change) => !found.includes(change))
        .map((change) => `${name}: listed but not found: ${change}`),
    ];
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const found = await checkAdditive(resolve(dirname(fileURLToPath(import.meta.url)), '..'));
  for (const line of found) console.error(line);
  console.log(found.length === 0 ? 'documents only grow' : `${found.length} changes break clients of the last release`);
  process.exit(found.length === 0 ? 0 : 1);
}
