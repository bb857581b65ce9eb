import type { Append, EventLog, LogWriter } from '#libs/pipeline/event-log/log.js';

export type AppendFate = 'done' | 'lost-before' | 'lost-after';

/** A log whose appends may fail with an unknown outcome: before anything was written, or after all of it was. */
export function lossyLog(inner: EventLog, fate: () => AppendFate): EventLog {
  const openWriter = async (writerId: string): Promise<LogWriter> => {
    const writer = await inner.openWriter(writerId);
    return {
      writerId,
      append: async (records: Append[]) => {
        const now = fate();
        if (now === 'lost-before') throw new Error('connection lost');
        await writer.append(records);
        if (now === 'lost-after') throw new Error('connection lost');
      },
      holdsLease: () => writer.holdsLease(),
      close: () => writer.close(),
    };
  };
  return new Proxy(inner, {
    get(target, property) {
      if (property === 'openWriter') return openWriter;
      const value = Reflect.get(target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
