import type { Hex } from '#libs/core/ids.js';
import type { ChainEvent } from '../blocks.js';
import type { GroupReader, GroupWriter } from './group-frame.js';

/** Gives the next event of one kind, its own fields taken from that kind's columns. */
type NextEvent = (tx: number, ordinal: number) => ChainEvent;

/** The columns of one kind of event: all values of a field, then those of the next. */
export interface EventCodec<Event extends ChainEvent = ChainEvent> {
  write(out: GroupWriter, events: readonly Event[]): void;
  read(input: GroupReader, count: number): NextEvent;
}

/** What the writer takes and the reader gives, by the one name of both methods. */
interface Values {
  id: Hex;
  varint: number;
  unsigned: bigint;
  unsignedOrNull: bigint | null;
  signed: bigint;
}
type MethodFor<Value> = {
  [M in keyof Values]: [Value, Values[M]] extends [Values[M], Value] ? M : never;
}[keyof Values];

/** The own fields of an event in the order of their columns, each with its method. */
type Columns<Event> = { readonly [Name in Exclude<keyof Event, 'kind' | 'tx' | 'ordinal'>]: MethodFor<Event[Name]> };

/**
 * The codec of events whose fields have one call each. Its functions are made once, in source form: the loops that one would write
 * by hand for these fields, without a call through a closure for each value (docs/decisions/0015). The source is made of the names of
 * fields and methods alone, never of data.
 */
export function eventColumns<Event extends ChainEvent>(
  kind: Event['kind'],
  columns: Columns<Event>,
): EventCodec<Event> {
  const fields = Object.entries<keyof Values>(columns);
  const lines = (line: (name: string, method: string) => string): string =>
    fields.map(([name, method]) => line(name, method)).join('\n');
  const source = `return {
    write(out, events) {
      ${lines((name, method) => `for (const event of events) out.${method}(event.${name});`)}
    },
    read(input, count) {
      ${lines((name, method) => `const ${name} = []; for (let i = 0; i < count; i++) ${name}.push(input.${method}());`)}
      let i = -1;
      return (tx, ordinal) => {
        i++;
        return { kind: '${kind}', tx, ordinal, ${lines((name) => `${name}: ${name}[i],`)} };
      };
    },
  };`;
  return new Function(source)() as EventCodec<Event>;
}
