import type { FastifyRequest } from 'fastify';
import { JsonNumber } from '#libs/core/exact-json.js';
import { type JsonValue, jsonObjectBody } from '#libs/serve/http/json-body.js';
import { badRequest } from '#libs/serve/http/problem.js';

/** Fields of a JSON body, each read by its rule; a field that no rule reads is refused, so that no slip goes unseen. */
export class BodyFields {
  private readonly given: Record<string, JsonValue | undefined>;
  private readonly names = new Set<string>();

  /** A body that may be empty counts as one without fields. */
  constructor(request: FastifyRequest, mayBeEmpty = false) {
    const empty = !Buffer.isBuffer(request.body) || request.body.length === 0;
    this.given = mayBeEmpty && empty ? {} : jsonObjectBody(request);
  }

  text(name: string): string {
    return this.optionalText(name) ?? this.refuse(name, 'is required');
  }

  optionalText(name: string): string | undefined {
    const value = this.take(name);
    if (value === undefined || value === null) return undefined;
    return typeof value === 'string' && value !== '' ? value : this.refuse(name, 'must be a text');
  }

  /** Null has a meaning of its own. */
  textOrNull(name: string): string | null | undefined {
    return this.given[name] === null ? (this.take(name) as null) : this.optionalText(name);
  }

  whole(name: string, least: number, most: number): number {
    return this.optionalWhole(name, least, most) ?? this.refuse(name, 'is required');
  }

  optionalWhole(name: string, least: number, most: number): number | undefined {
    const value = this.take(name);
    if (value === undefined || value === null) return undefined;
    const whole = value instanceof JsonNumber ? value.integer : null;
    if (whole !== null && whole >= BigInt(least) && whole <= BigInt(most)) return Number(whole);
    return this.refuse(name, `must be a whole number from ${least} to ${most}`);
  }

  wholeOrNull(name: string, least: number, most: number): number | null | undefined {
    return this.given[name] === null ? (this.take(name) as null) : this.optionalWhole(name, least, most);
  }

  flag(name: string): boolean | undefined {
    const value = this.take(name);
    if (value === undefined || typeof value === 'boolean') return value;
    return this.refuse(name, 'must be true or false');
  }

  texts(name: string, most: number): string[] | undefined {
    const value = this.take(name);
    if (value === undefined || value === null) return undefined;
    const fits = Array.isArray(value) && value.length <= most && value.every((item) => typeof item === 'string');
    return fits ? (value as string[]) : this.refuse(name, `must be a list of at most ${most} texts`);
  }

  end(): void {
    const unknown = Object.keys(this.given).find((name) => !this.names.has(name));
    if (unknown === undefined) return;
    throw badRequest(`${unknown.slice(0, 60)} is no field of this body; there are ${[...this.names].join(', ')}`);
  }

  private take(name: string): JsonValue | undefined {
    this.names.add(name);
    return this.given[name];
  }

  private refuse(name: string, rule: string): never {
    throw badRequest(`${name} ${rule}`);
  }
}
