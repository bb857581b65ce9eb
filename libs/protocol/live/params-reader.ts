import 'reflect-metadata';
import { getMetadataStorage, type ValidationArguments } from 'class-validator';

interface Field {
  readonly name: string;
  readonly optional: boolean;
  readonly rules: { readonly message: string; readonly holds: (value: unknown) => boolean }[];
}

/**
 * Reads the parameters of a subscription into their class by the rules of its class-validator decorators, in the order in
 * which they are declared: the first broken one is the answer. A number stands for its text, an empty text for nothing,
 * the first of a list for the list; unknown parameters are ignored.
 */
export class ParamsReader<T extends object> {
  private readonly fields: readonly Field[];

  constructor(private readonly params: new () => T) {
    const storage = getMetadataStorage();
    const byName = new Map<string, { name: string; optional: boolean; rules: Field['rules'] }>();
    for (const metadata of storage.getTargetValidationMetadatas(params, '', false, false)) {
      const name = metadata.propertyName;
      const field = byName.get(name) ?? { name, optional: false, rules: [] };
      byName.set(name, field);
      if (metadata.type === 'conditionalValidation') {
        field.optional = true;
        continue;
      }
      for (const { instance } of storage.getTargetValidatorConstraints(metadata.constraintCls)) {
        const { message, constraints } = metadata;
        if (typeof message !== 'string') throw new Error(`${params.name}.${name}: every rule needs its own message`);
        const args = { constraints: constraints ?? [], property: name, targetName: params.name } as ValidationArguments;
        field.rules.push({ message, holds: (value) => instance.validate(value, { ...args, value }) === true });
      }
    }
    this.fields = [...byName.values()];
    if (this.fields.length === 0) throw new Error(`${params.name} has no rules`);
  }

  /** The parameters, or the message of the first broken rule. */
  read(given: Readonly<Record<string, unknown>>): { value: T } | { problem: string } {
    const value = new this.params() as T & Record<string, unknown>;
    for (const { name, optional, rules } of this.fields) {
      const text = textOf(given[name]);
      if (text === undefined && optional) continue;
      for (const rule of rules) if (!rule.holds(text)) return { problem: rule.message };
      (value as Record<string, unknown>)[name] = text;
    }
    return { value };
  }
}

function textOf(given: unknown): unknown {
  const first: unknown = Array.isArray(given) ? given[0] : given;
  if (first === undefined || first === null || first === '') return undefined;
  return typeof first === 'number' ? String(first) : first;
}
