import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import type { ExpectedCode } from '#libs/chain/chains/evm/expected-code.js';
import { routedVenues } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import { type LocalChain, type LocalSlug, startLocalChain } from '#libs/devkit/devnet/evm/local-chain.js';
import { SLUGS } from '#libs/devkit/devnet/evm/test/local-world.js';
import { silentLogger } from '#libs/platform/logger.js';
import { type EvmNodes, openEvmNodes } from '../evm-nodes.js';
import { createQuoteCheck } from './quote-check.js';
import { codeHash, untilSeen } from './test/local-market.js';
import { LocalRoutes } from './test/local-routes.js';
import { createVenueVerifier } from './venue-verifier.js';

const localChains = SLUGS.map((slug) => chainSpec(slug)!);
/** Pins that a chain needs of which this is stated; any number on another one. */
const PINS = new Map([
  ['eth', 1],
  ['bsc', 4],
  ['base', 1],
  ['chaind', 2],
]);

describe.each(localChains)('the local chain of $slug', (spec) => {
  const dir = mkdtempSync(join(tmpdir(), 'tidepool-chain-'));
  let local: LocalChain;
  let node: EvmNodes;
  beforeAll(async () => {
    local = await startLocalChain({
      chain: spec.slug as LocalSlug,
      dataDir: dir,
      seed: 3,
      historyBlocks: 3,
      autoMine: false,
    });
    node = openEvmNodes(spec, { urls: [local.rpcUrl], logger: silentLogger, nodePools: null });
  });
  afterAll(async () => {
    await node?.close();
    await local?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  async function verdicts(pins: ReadonlyMap<Hex, Hex>): Promise<string[]> {
    const services = createVenueVerifier({ chain: spec, nodes: node, pins, logger: silentLogger });
    const abort = new AbortController();
    const ended = services.run(abort.signal);
    const rows = await untilSeen(
      () => services.rows(),
      (seen) => seen.every((row) => row.verification.status !== 'pending'),
    );
    abort.abort();
    await ended;
    return rows.map((row) => `${row.verification.status}${row.verification.reason ?? ''}`);
  }

  it('is verified with its own pins', async () => {
    expect(await verdicts(local.codePins)).toEqual(['verified', 'verified']);
  });

  it('is verified without pins for what packages carry, and for nothing else', async () => {
    // What is not the real chain's own: code that is not proven, and code that is only here.
    const pins = new Map<Hex, Hex>();
    for (const { factory, contracts } of routedVenues(spec)) {
      const { router, quoter, code } = contracts!;
      const parts: [Hex, ExpectedCode | null][] = [
        [factory, code.factory],
        [router, code.router],
        [spec.wrappedNative.token, code.wrappedNative],
        ...(quoter ? [[quoter.address, code.quoter ?? null] as [Hex, ExpectedCode | null]] : []),
      ];
      for (const [address, expected] of parts) {
        const hash = await codeHash(local.rpcUrl, address);
        if (expected === null || (expected.immutables.length === 0 && expected.hash !== hash)) pins.set(address, hash);
      }
    }
    expect(pins.size).toBe(PINS.get(spec.slug) ?? pins.size);
    expect(await verdicts(pins)).toEqual(['verified', 'verified']);
    for (const address of pins.keys()) {
      const fewer = new Map([...pins].filter(([pinned]) => pinned !== address));
      const found = (await verdicts(fewer)).filter((verdict) => verdict !== 'verified');
      expect(found.length).toBeGreaterThan(0);
      for (const verdict of found) {
        expect(verdict).toMatch(/^mismatch/);
        expect(verdict).toContain(`TIDEPOOL_CODE_PINS_${spec.slug.toUpperCase()}=0x${address}=0x${pins.get(address)}`);
      }
    }
  });

  it('answers quotes through its own contracts', async () => {
    const routes = new LocalRoutes(spec, local);
    const distrusted: Hex[] = [];
    const distrust = (pool: Hex) => void distrusted.push(pool);
    const check = createQuoteCheck({ chain: spec, nodes: node, logger: silentLogger, distrust, everyMs: 0 });
    let asked = 0;
    for (const version of ['v2', 'v3'] as const) {
      for (const hops of [1, 2]) {
        const path = routes.paths(version, hops)[0];
        if (path === undefined) continue;
        const route = await routes.route(path, routes.worth(path, 25));
        check.sample(route, await routes.head());
        await check.idle();
        asked++;
      }
    }
    expect(check.status()).toMatchObject({ checked: asked, disagreed: 0, skipped: 0 });
    expect([asked >= 3, distrusted]).toEqual([true, []]);
    await check.close();
  });
});
