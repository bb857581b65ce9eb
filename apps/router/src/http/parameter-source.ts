import { JsonNumber } from '#libs/core/exact-json.js';
import { type JsonObject, type JsonValue } from '#libs/serve/http/json-body.js';

/**
 * Reads the parameters of a request: from a query, where the first value of a repeated name counts, or from a JSON body,
 * where null counts as absent. Lists take every value of a name.
 */
export interface ParameterSource {
  one(name: string): JsonValue | undefined;
  all(name: string): readonly JsonValue[];
}

export class QuerySource implements ParameterSource {
  constructor(private readonly query: Readonly<Record<string, string | string[] | undefined>>) {}

  one(name: string): string | undefined {
    const given = this.query[name];
    return Array.isArray(given) ? given[0] : given;
  }

  all(name: string): readonly string[] {
    const given = this.query[name];
    if (given === undefined) return NONE;
    return Array.isArray(given) ? given : [given];
  }
}

export class BodySource implements ParameterSource {
  constructor(private readonly body: JsonObject) {}

  one(name: string): JsonValue | undefined {
    return this.body[name] ?? undefined;
  }

  all(name: string): readonly JsonValue[] {
    const given = this.one(name);
    if (given === undefined) return NONE;
    return Array.isArray(given) ? given : [given];
  }
}

const NONE: readonly never[] = [];

/** The text of a string or of a number as it was written; null for anything else. */
export function parameterText(value: JsonValue | undefined): string | null {
  if (typeof value === 'string') return value;
  return value instanceof JsonNumber ? value.text : null;
}

/** What a client sent, short enough to be shown to it again. */
export function shown(value: JsonValue | undefined): string {
  const text = parameterText(value);
  if (text === null) return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : String(value);
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
