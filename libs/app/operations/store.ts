import { TidepoolError } from '#libs/core/errors.js';
import { replayChain } from '#libs/pipeline/sink/replay.js';
import { MarketTables } from '#libs/pipeline/store/market/market-tables.js';
import { readPointer } from '#libs/pipeline/store/market/pointer.js';
import { META_DATABASE, migrate } from '#libs/pipeline/store/migrate.js';
import type { Operations } from '#libs/platform/admin-protocol.js';
import type { OperationDeps } from './operation-deps.js';

/** `migrate` and `replay`. */
export function storeOperations(deps: OperationDeps): Operations {
  return {
    migrate: async () => {
      const store = await deps.store();
      const databases = [META_DATABASE];
      for (const chain of deps.chains) {
        const pointer = await readPointer(store, chain);
        if (pointer !== null) databases.push(new MarketTables(store, chain, pointer.generation).database);
      }
      const migrated: { database: string; applied: string[] }[] = [];
      for (const database of databases) migrated.push({ database, ...(await migrate(store, database)) });
      return { migrated };
    },
    replay: async (args, io) => {
      const chain = requireChain(deps.chains, args.chain);
      const result = await replayChain({
        log: deps.log,
        store: await deps.store(),
        chain,
        signal: io.signal,
        onProgress: ({ generation, seq, target }) =>
          io.progress({
            label: `replay ${chain} into generation ${generation}`,
            done: seq + 1,
            total: target + 1,
            unit: 'groups',
          }),
      });
      deps.onFlip?.(chain);
      return { chain, ...result };
    },
  };
}

function requireChain(chains: readonly string[], chain: unknown): string {
  if (typeof chain === 'string' && chains.includes(chain)) return chain;
  if (chain === undefined && chains.length === 1) return chains[0]!;
  const asked = chain === undefined ? 'name a chain' : `${JSON.stringify(chain)} is not indexed here`;
  throw new TidepoolError('usage', `${asked}: use ${chains.join(', ')}`);
}
