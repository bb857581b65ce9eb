import { solanaModule } from '#libs/chain/catalogue/catalogue.js';
import { TIDEPOOL_SWAP } from '#libs/chain/chains/solana/tidepool-programs.js';
import { readTransaction } from '#libs/chain/chains/solana/wire-transaction.js';
import { decodeBase58 } from '#libs/core/base58.js';
import { LEAST_KINDS, ROUTED_VENUES, recordedRoutes } from './recorded-routes.js';
import { RouteWorld } from './route-world.js';

/**
 * What the router quoted and built over chains with the deployed programs of venues (genuine-routes.spec.ts), without them: over the
 * same accounts it gives the same quote and, with the node's answer to the simulation as it was, the same transaction, which landed and
 * moved what was quoted.
 */

describe.each(ROUTED_VENUES)('recorded routes over %s', (venue) => {
  let routes: RouteWorld;
  const recorded = recordedRoutes(venue);
  beforeAll(async () => {
    routes = await RouteWorld.start();
  });
  afterAll(() => routes?.close());

  it('are quoted, built and priced as they landed', async () => {
    const { world, wallet } = routes;
    const kinds = recorded.map(({ question, mints }) => `${question.inputMint === mints[0]} ${question.swapMode}`);
    expect(new Set(kinds).size).toBeGreaterThanOrEqual(LEAST_KINDS);
    for (const { pool, mints, accounts, own, question, simulation, swap, moved } of recorded) {
      await routes.place(venue, { address: pool, accounts, mints }, own);
      routes.recorded = simulation;
      const quote = await wallet.quoted(question);
      expect({ pool, amountIn: quote.inAmount, amountOut: quote.outAmount }).toEqual({ pool, ...moved });
      expect(quote.routePlan).toHaveLength(1);
      expect(quote.routePlan[0].swapInfo).toMatchObject({ ammKey: pool, label: solanaModule(venue)!.decoder.dex });
      const built = (await wallet.build('/swap', quote)).body;
      const told = (await wallet.build('/swap-instructions', quote)).body;
      expect({ pool, simulation: built.simulation, costs: told.costs }).toEqual({
        ...{ pool, simulation: swap.simulation, costs: swap.costs },
      });
      expect(told.swapInstruction.programId).toBe(TIDEPOOL_SWAP);
      // The chain differs in its newest blockhash alone.
      const bytes = Buffer.from(built.swapTransaction, 'base64');
      const at = bytes.indexOf(decodeBase58(told.blockhash)!);
      expect(at).toBeGreaterThan(0);
      bytes.set(decodeBase58(swap.blockhash)!, at);
      expect([pool, bytes.toString('base64')]).toEqual([pool, swap.transaction]);
      expect(readTransaction(bytes).keys[0]).toBe(wallet.address);
    }
    expect(world.problems).toEqual([]);
  });
});
