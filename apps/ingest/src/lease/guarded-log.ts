import { FencedError } from '#libs/core/errors.js';
import type { EventLog, LogWriter } from '#libs/pipeline/event-log/log.js';
import { LeaseReader } from './lease-reader.js';

/**
 * The log of a chain's stages: a writer is opened only by who holds the chain's lease. To open a writer fences its holder, so a
 * process that slept must not do it unasked. The lease is looked at before, which spares the new holder nearly every fence, and
 * again after, which settles it: who takes over says so before it opens any writer. So either its word is there, and this
 * writer is given up before it wrote anything, or it will fence this writer by opening its own.
 */
export function guardedLog(log: EventLog, chain: string, term: () => string | null): EventLog {
  const reader = new LeaseReader(log, chain);
  const require = async (writerId: string, own: string | null): Promise<void> => {
    const newest = own === null ? null : await reader.newest();
    if (newest?.term !== own || newest?.released) throw new FencedError(writerId);
  };
  const openWriter = async (writerId: string): Promise<LogWriter> => {
    const own = term();
    await require(writerId, own);
    const writer = await log.openWriter(writerId);
    try {
      await require(writerId, own);
      return writer;
    } catch (error) {
      await writer.close();
      throw error;
    }
  };
  return new Proxy(log, {
    get(target, property) {
      if (property === 'openWriter') return openWriter;
      const value: unknown = Reflect.get(target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
