import 'reflect-metadata';
import { getMetadataStorage, type ValidationArguments } from 'class-validator';

/**
 * Reads the parameters of a request or a subscription into their class by the rules of its class-validator decorators,
 * compiled once per class: a request costs one pass over its parameters and makes no class-transformer copy. A repeated
 * parameter uses its first value; unknown parameters are ignored; the first broken rule is the answer.
 */
export class ParameterReader<T extends object> {
  private readonly fields: readonly Field[];

  /** `message`: of a JSON message, where a number counts as its text and an empty text as nothing. */
  constructor(
    private readonly type: new () => T,
    private readonly source: 'query' | 'message' = 'query',
  ) {
    const storage = getMetadataStorage();
    const byName = new Map<string, Field>();
    for (const metadata of storage.getTargetValidationMetadatas(type, '', false, false)) {
      const name = metadata.propertyName;
      let field = byName.get(name);
      if (field === undefined) {
        field = {
          name,
          kind: source === 'query' || readsItself(type, name) ? kindOf(type, name) : 'text',
          optional: false,
          rules: [],
        };
        byName.set(name, field);
      }
      if (metadata.name === 'isNumber') field.kind = 'decimal';
      // IsOptional is a condition, not a rule.
      if (metadata.type === 'conditionalValidation') {
        field.optional = true;
        continue;
      }
      for (const { instance } of storage.getTargetValidatorConstraints(metadata.constraintCls)) {
        const { message, constraints } = metadata;
        if (typeof message !== 'string') throw new Error(`${type.name}.${name}: every rule needs its own message`);
        const args = { constraints: constraints ?? [], property: name, targetName: type.name } as ValidationArguments;
        field.rules.push({ message, holds: (value) => instance.validate(value, { ...args, value }) === true });
      }
    }
    this.fields = [...byName.values()];
    if (this.fields.length === 0) throw new Error(`${type.name} has no rules`);
  }

  /** Whether the class has a parameter of this name. */
  takes(name: string): boolean {
    return this.fields.some((field) => field.name === name);
  }

  /** The parameters, or the message of the first broken rule. */
  read(parameters: Readonly<Record<string, unknown>>): { value: T } | { problem: string } {
    const value = new this.type() as T & Record<string, unknown>;
    for (const { name, kind, optional, rules } of this.fields) {
      const given = parameters[name];
      if (kind === 'list') {
        const items = listOf(given);
        for (const rule of rules) if (!rule.holds(items)) return { problem: rule.message };
        (value as Record<string, unknown>)[name] = items;
        continue;
      }
      const text = this.textOf(Array.isArray(given) ? given[0] : given);
      if (text === undefined && optional) continue;
      const parsed = typeof text === 'string' ? parse(kind, text) : text;
      for (const rule of rules) if (!rule.holds(parsed)) return { problem: rule.message };
      (value as Record<string, unknown>)[name] = parsed;
    }
    return { value };
  }

  private textOf(given: unknown): unknown {
    if (this.source === 'query') return typeof given === 'string' ? given : undefined;
    if (given === undefined || given === null || given === '') return undefined;
    return typeof given === 'number' ? String(given) : given;
  }
}

type Kind = 'integer' | 'decimal' | 'boolean' | 'text' | 'list';

interface Field {
  name: string;
  kind: Kind;
  optional: boolean;
  rules: { message: string; holds: (value: unknown) => boolean }[];
}

/** Whether the kind of a parameter says how its text is read, in a message too: an event stream has texts alone. */
const readsItself = (type: new () => object, name: string): boolean =>
  [Array, Boolean].includes(Reflect.getMetadata('design:type', type.prototype, name));

/** Texts of a list, which a query writes with commas; undefined when there are none. */
function listOf(given: unknown): unknown {
  const items: unknown[] = Array.isArray(given) ? given : [given];
  const texts = items.flatMap((item) =>
    typeof item === 'string' ? item.split(',').map((text) => text.trim()) : [item],
  );
  return texts.every((item) => item === undefined || item === null || item === '') ? undefined : texts;
}

function kindOf(type: new () => object, name: string): Kind {
  const declared: unknown = Reflect.getMetadata('design:type', type.prototype, name);
  if (declared === Number) return 'integer';
  if (declared === Boolean) return 'boolean';
  if (declared === String) return 'text';
  if (declared === Array) return 'list';
  throw new Error(`${type.name}.${name} must be declared as a number, a boolean, a string or a list`);
}

const DECIMAL = /^-?\d{1,17}(\.\d{1,36})?([eE][+-]?\d{1,3})?$/;

/** What does not read as its kind stays text, which its rules refuse. */
function parse(kind: Kind, text: string): unknown {
  if (kind === 'integer') return /^-?\d{1,20}$/.test(text) ? Number(text) : text;
  if (kind === 'decimal') return DECIMAL.test(text) ? Number(text) : text;
  if (kind === 'boolean')
    return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text;
  return text;
}
