import 'reflect-metadata';
import { getMetadataStorage, type ValidationArguments } from 'class-validator';

/**
 * Reads a query string into a query class by the rules of its class-validator decorators, compiled once per class: a
 * request costs one pass over its parameters and makes no class-transformer copy.
 * A repeated parameter uses its first value; unknown parameters are ignored; the first broken rule is the answer.
 */
export class QueryReader<T extends object> {
  private readonly fields: Field[];

  constructor(private readonly query: new () => T) {
    const storage = getMetadataStorage();
    const byName = new Map<string, Field>();
    for (const metadata of storage.getTargetValidationMetadatas(query, '', false, false)) {
      const name = metadata.propertyName;
      let field = byName.get(name);
      if (field === undefined) {
        field = { name, kind: kindOf(query, name), rules: [] };
        byName.set(name, field);
      }
      if (metadata.name === 'isNumber') field.kind = 'decimal';
      // IsOptional is a condition, not a rule: an absent parameter is never checked here.
      if (metadata.type === 'conditionalValidation') continue;
      for (const { instance } of storage.getTargetValidatorConstraints(metadata.constraintCls)) {
        const { message, constraints } = metadata;
        if (typeof message !== 'string') throw new Error(`${query.name}.${name}: every rule needs its own message`);
        const args = { constraints: constraints ?? [], property: name, targetName: query.name } as ValidationArguments;
        field.rules.push({ message, holds: (value) => instance.validate(value, { ...args, value }) === true });
      }
    }
    this.fields = [...byName.values()];
    if (this.fields.length === 0) throw new Error(`${query.name} has no rules`);
  }

  /** The parameters, or the message of the first broken rule. */
  read(parameters: Readonly<Record<string, unknown>>): { value: T } | { problem: string } {
    const value = new this.query() as T & Record<string, unknown>;
    for (const field of this.fields) {
      const given = parameters[field.name];
      const text = Array.isArray(given) ? given[0] : given;
      if (typeof text !== 'string') continue;
      const parsed = parse(field.kind, text);
      for (const rule of field.rules) if (!rule.holds(parsed)) return { problem: rule.message };
      (value as Record<string, unknown>)[field.name] = parsed;
    }
    return { value };
  }
}

type Kind = 'integer' | 'decimal' | 'boolean' | 'text';

interface Field {
  name: string;
  kind: Kind;
  rules: { message: string; holds: (value: unknown) => boolean }[];
}

function kindOf(query: new () => object, name: string): Kind {
  const type: unknown = Reflect.getMetadata('design:type', query.prototype, name);
  if (type === Number) return 'integer';
  if (type === Boolean) return 'boolean';
  if (type === String) return 'text';
  throw new Error(`${query.name}.${name} must be declared as a number, a boolean or a string`);
}

/** What does not read as its kind stays text, which its rules refuse. */
function parse(kind: Kind, text: string): unknown {
  if (kind === 'integer') return /^-?\d{1,17}$/.test(text) ? Number(text) : text;
  if (kind === 'decimal') return /^-?\d{1,17}(\.\d{1,36})?$/.test(text) ? Number(text) : text;
  if (kind === 'boolean')
    return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text;
  return text;
}
