import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeAbiParameters, keccak256 } from 'viem';
import { eth } from '#libs/chain/catalogue/test/chain-specs.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import { type LocalChain, startLocalChain } from '#libs/devkit/devnet/evm/local-chain.js';
import { silentLogger } from '#libs/platform/logger.js';
import type { EvmVenue } from '#libs/serve/contract/rest/evm/venue-body.js';
import { type EvmNodes, openEvmNodes } from '../evm-nodes.js';
import { codeHash, Gateway, rpc, untilSeen } from './test/local-market.js';
import { createVenueVerifier, type VenueVerifierOptions } from './venue-verifier.js';

const [v2, v3] = eth.venues as [ChainSpec['venues'][number], ChainSpec['venues'][number]];
const wrapped = eth.wrappedNative.token;
const quoter = v3.contracts!.quoter!.address;
const dir = mkdtempSync(join(tmpdir(), 'tidepool-venues-'));
let local: LocalChain;
let pins: Map<Hex, Hex>;

beforeAll(async () => {
  local = await startLocalChain({ chain: 'eth', dataDir: dir, seed: 7, historyBlocks: 3, autoMine: false });
  pins = new Map([[wrapped, await codeHash(local.rpcUrl, wrapped)]]);
});

afterAll(async () => {
  await local?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const running: { abort: AbortController; ended: Promise<void>; node: EvmNodes }[] = [];
afterEach(async () => {
  for (const { abort, ended, node } of running.splice(0)) {
    abort.abort();
    await ended;
    await node.close();
  }
});

/** A verifier that looks again many times a second. */
function open(more: Partial<VenueVerifierOptions> = {}, rpcUrls = [local.rpcUrl], chain: ChainSpec = eth) {
  const node = openEvmNodes(chain, { urls: rpcUrls, logger: silentLogger, nodePools: null });
  const fast = { recheckMs: 60, retryMs: 30, maxRetryMs: 120, checkMs: 1_500, graceMs: 200 };
  const verifier = createVenueVerifier({ chain, nodes: node, pins, logger: silentLogger, ...fast, ...more });
  const abort = new AbortController();
  running.push({ abort, ended: verifier.run(abort.signal), node });
  return verifier;
}

type Verifier = ReturnType<typeof open>;
const statuses = (verifier: Verifier): string[] => verifier.rows().map((row) => row.verification.status);
const shows = (verifier: Verifier, ...wanted: string[]): Promise<string[]> =>
  untilSeen(
    () => statuses(verifier),
    (seen) => seen.join() === wanted.join(),
  );
const reason = (row: EvmVenue | undefined): string => row?.verification.reason ?? '';

describe('venues of a local chain', () => {
  it('are pending, then verified at a block of the chain, with the pin that the operator gave', async () => {
    const verifier = open();
    expect(statuses(verifier)).toEqual(['pending', 'pending']);
    expect([...verifier.servable()]).toEqual([]);
    await shows(verifier, 'verified', 'verified');
    expect([...verifier.servable()]).toEqual(['uniswap-v2', 'uniswap-v3']);
    for (const row of verifier.rows()) {
      expect(row.servable).toBe(true);
      const { anchor, at, reason } = row.verification;
      const block = await rpc<{ number: string }>(local.rpcUrl, 'eth_getBlockByHash', anchor!.hash, false);
      expect([anchor!.chainId, anchor!.number, reason]).toEqual([1, String(Number(block.number)), null]);
      expect(new Date(at!).toISOString()).toBe(at);
    }
  });

  it('have rows of the documented shape, the same on every look', async () => {
    const verifier = open();
    await shows(verifier, 'verified', 'verified');
    const [first, second] = verifier.rows();
    expect(Object.keys(first!)).toEqual(
      'id dex aliases chain chainId protocol factory router wrappedNative feeNumerator feeDenominator routerAbi routerFactoryGetter routerWrappedNativeGetter sources buildable servable verification'.split(
        ' ',
      ),
    );
    expect(Object.keys(second!)).toEqual(
      'id dex aliases chain chainId protocol factory router wrappedNative quoter feeTiers routerAbi routerFactoryGetter routerWrappedNativeGetter quoterAbi quoterFactoryGetter quoterWrappedNativeGetter sources buildable servable verification'.split(
        ' ',
      ),
    );
    expect(first).toMatchObject({ id: 'eth-uniswap-v2', dex: 'Uniswap V2', feeNumerator: 997, feeDenominator: 1000 });
    expect(second).toMatchObject({ feeTiers: [100, 500, 3000, 10000], quoter: `0x${quoter}`, quoterAbi: 'quoter-v2' });
  });

  it('are not served while nobody vouches for a wrapped token that is not the real one, and the reason is the cure', async () => {
    const verifier = open({ pins: new Map() });
    await shows(verifier, 'mismatch', 'mismatch');
    expect([...verifier.servable()]).toEqual([]);
    const setting = `TIDEPOOL_CODE_PINS_ETH=0x${wrapped}=0x${pins.get(wrapped)}`;
    for (const row of verifier.rows()) {
      expect(row.servable).toBe(false);
      expect(reason(row)).toContain(`wrapped token 0x${wrapped} has code 0x${pins.get(wrapped)}`);
      expect(reason(row)).toContain(setting);
      expect(reason(row)).not.toContain('router');
    }
    const wrongPin = open({ pins: new Map([[wrapped, 'ab'.repeat(32)]]) });
    await shows(wrongPin, 'mismatch', 'mismatch');
    expect(reason(wrongPin.rows()[0])).toContain(`not the pinned 0x${'ab'.repeat(32)}`);
  });

  const contracts: [string, Hex, string[]][] = [
    ['factory', v2.factory, ['mismatch', 'verified']],
    ['router', v2.contracts!.router, ['mismatch', 'verified']],
    ['factory', v3.factory, ['verified', 'mismatch']],
    ['router', v3.contracts!.router, ['verified', 'mismatch']],
    ['quoter', quoter, ['verified', 'mismatch']],
    ['wrapped token', wrapped, ['mismatch', 'mismatch']],
  ];
  it.each(contracts)(
    'stop being served when the code of the %s 0x%s changes, and come back',
    async (role, at, seen) => {
      const verifier = open();
      await shows(verifier, 'verified', 'verified');
      const code = await rpc<string>(local.rpcUrl, 'eth_getCode', `0x${at}`, 'latest');
      try {
        // One bit of the metadata behind the program: everything still works, but it is another code.
        const last = Number.parseInt(code.slice(-1), 16) ^ 1;
        const changed = code.slice(0, -1) + last.toString(16);
        await rpc(local.rpcUrl, 'anvil_setCode', `0x${at}`, changed);
        await shows(verifier, ...seen);
        expect([...verifier.servable()]).toEqual(
          verifier
            .rows()
            .filter((row) => row.servable)
            .map((row) => row.id.slice('eth-'.length)),
        );
        const broken = verifier.rows().filter((row) => !row.servable);
        for (const row of broken) {
          expect(reason(row).startsWith(`${role} 0x${at} has code ${keccak256(changed as `0x${string}`)}`)).toBe(true);
          expect(reason(row)).not.toContain('. ');
        }
        await rpc(local.rpcUrl, 'anvil_setCode', `0x${at}`, '0x');
        await untilSeen(
          () => reason(verifier.rows().find((row) => !row.servable)),
          (words) => words.includes(`${role} 0x${at} has no code`),
        );
      } finally {
        await rpc(local.rpcUrl, 'anvil_setCode', `0x${at}`, code);
      }
      await shows(verifier, 'verified', 'verified');
    },
  );
});

describe('what code alone does not show', () => {
  const other = 'cc'.repeat(20);
  const programs: [string, Hex, Hex][] = [
    ['router', v2.contracts!.router, v2.factory],
    ['router', v3.contracts!.router, v3.factory],
    ['quoter', quoter, v3.factory],
  ];
  it.each(programs)(
    'is found in its immutables and by its getters: the right %s 0x%s over another factory',
    async (role, at, factory) => {
      const code = await rpc<string>(local.rpcUrl, 'eth_getCode', `0x${at}`, 'latest');
      const everywhere = code.split(factory).join(other);
      const lastOnly = code.slice(0, code.lastIndexOf(factory)) + other + code.slice(code.lastIndexOf(factory) + 40);
      const pinned = open({ pins: new Map([...pins, [at, keccak256(everywhere as `0x${string}`).slice(2)]]) });
      const verifier = open();
      const words = (one: Verifier, holds: (seen: string) => boolean) =>
        untilSeen(() => reason(one.rows().find((row) => !row.servable)), holds);
      await shows(verifier, 'verified', 'verified');
      try {
        await rpc(local.rpcUrl, 'anvil_setCode', `0x${at}`, everywhere);
        // An operator who pins such a code still sees where it leads.
        const getter = `${role} 0x${at}: factory() is 0x${other} instead of 0x${factory}`;
        expect(await words(pinned, (seen) => seen !== '')).toBe(getter);
        const both = await words(verifier, (seen) => seen !== '');
        expect(both).toContain(`names 0x${other} where the factory 0x${factory} belongs`);
        expect(both).toContain(getter);
        await rpc(local.rpcUrl, 'anvil_setCode', `0x${at}`, code);
        await shows(verifier, 'verified', 'verified');
        // One place of many, which no getter reads.
        await rpc(local.rpcUrl, 'anvil_setCode', `0x${at}`, lastOnly);
        const one = await words(verifier, (seen) => seen !== '');
        expect(one).toContain(`names 0x${other} where the factory 0x${factory} belongs`);
      } finally {
        await rpc(local.rpcUrl, 'anvil_setCode', `0x${at}`, code);
      }
      await shows(verifier, 'verified', 'verified');
    },
  );

  it('is found by asking for the fee tiers', async () => {
    const verifier = open();
    await shows(verifier, 'verified', 'verified');
    const slot = keccak256(encodeAbiParameters([{ type: 'uint24' }, { type: 'uint256' }], [100, 4n]));
    const before = await rpc<string>(local.rpcUrl, 'eth_getStorageAt', `0x${v3.factory}`, slot, 'latest');
    expect(BigInt(before)).toBe(1n);
    await rpc(local.rpcUrl, 'anvil_setStorageAt', `0x${v3.factory}`, slot, `0x${'0'.repeat(64)}`);
    try {
      await shows(verifier, 'verified', 'mismatch');
      expect(reason(verifier.rows()[1])).toBe(`factory 0x${v3.factory} has not enabled the fee tier 100`);
    } finally {
      await rpc(local.rpcUrl, 'anvil_setStorageAt', `0x${v3.factory}`, slot, before);
    }
    await shows(verifier, 'verified', 'verified');
  });

  it('is found by asking for the chain id, at the start and later', async () => {
    const elsewhere = open({}, [local.rpcUrl], { ...eth, chainId: 5 });
    await shows(elsewhere, 'mismatch', 'mismatch');
    expect(reason(elsewhere.rows()[0])).toContain('serves chain id 1 instead of 5');
    const gateway = await Gateway.open(local.rpcUrl);
    try {
      const verifier = open({}, [gateway.url]);
      await shows(verifier, 'verified', 'verified');
      gateway.chainId = 5;
      await shows(verifier, 'mismatch', 'mismatch');
      expect(reason(verifier.rows()[0])).toBe('the node serves chain id 5 instead of 1');
      // A verifier that starts now never gets past the first check.
      const late = open({}, [gateway.url]);
      await shows(late, 'mismatch', 'mismatch');
      gateway.chainId = null;
      await shows(verifier, 'verified', 'verified');
      await shows(late, 'verified', 'verified');
    } finally {
      await gateway.close();
    }
  });
});

describe('nodes', () => {
  it('that do not answer make venues unreachable, without a word of their address, and they come back', async () => {
    const gateway = await Gateway.open(local.rpcUrl);
    try {
      gateway.down = true;
      const verifier = open({}, [gateway.url]);
      await shows(verifier, 'unreachable', 'unreachable');
      gateway.down = false;
      await shows(verifier, 'verified', 'verified');
      const verified = verifier.rows()[0]!.verification.anchor;
      gateway.down = true;
      await shows(verifier, 'unreachable', 'unreachable');
      expect([...verifier.servable()]).toEqual([]);
      const { verification } = verifier.rows()[0]!;
      expect(verification.anchor).toEqual(verified);
      expect(verification.reason).toContain('rpc endpoint 1');
      expect(JSON.stringify(verifier.rows())).not.toMatch(/secret|127\.0\.0\.1|v2\/very/);
      gateway.down = false;
      await shows(verifier, 'verified', 'verified');
    } finally {
      await gateway.close();
    }
  });

  it('are asked for code once, and again for what has another hash', async () => {
    const gateway = await Gateway.open(local.rpcUrl);
    const looks = (more: number) => {
      const wanted = gateway.requests + more;
      return untilSeen(
        () => gateway.requests,
        (requests) => requests >= wanted,
      );
    };
    try {
      const verifier = open({}, [gateway.url]);
      await shows(verifier, 'verified', 'verified');
      expect(gateway.codes.length).toBe(6);
      await looks(12);
      expect(gateway.codes.length).toBe(6);
      const router = v2.contracts!.router;
      const code = await rpc<string>(local.rpcUrl, 'eth_getCode', `0x${router}`, 'latest');
      await rpc(local.rpcUrl, 'anvil_setCode', `0x${router}`, `${code}00`);
      await shows(verifier, 'mismatch', 'verified');
      await rpc(local.rpcUrl, 'anvil_setCode', `0x${router}`, code);
      await shows(verifier, 'verified', 'verified');
      expect(gateway.codes.slice(6)).toEqual([router, router]);
      // A node that does not run code without a contract still says what it has.
      gateway.callsOnly = true;
      await looks(12);
      expect(gateway.codes.length).toBeGreaterThan(8);
      expect(statuses(verifier)).toEqual(['verified', 'verified']);
    } finally {
      await gateway.close();
    }
  });

  it('are replaced by the next one, and what was verified outlives a short silence', async () => {
    const [dead, live] = [await Gateway.open(local.rpcUrl), await Gateway.open(local.rpcUrl)];
    try {
      dead.down = true;
      const verifier = open({ graceMs: 60_000 }, ['wss://node.example/ws', dead.url, live.url]);
      await shows(verifier, 'verified', 'verified');
      live.down = true;
      const asked = live.requests;
      await untilSeen(
        () => live.requests,
        (requests) => requests >= asked + 2,
      );
      expect(statuses(verifier)).toEqual(['verified', 'verified']);
    } finally {
      await Promise.all([dead.close(), live.close()]);
    }
  });

  it('are needed: without one over HTTP the reason says so', async () => {
    const verifier = open({}, ['ws://127.0.0.1:1']);
    await shows(verifier, 'unreachable', 'unreachable');
    expect(reason(verifier.rows()[0])).toBe('no HTTP RPC endpoint is configured');
  });
});

it('leaves out what the operator switched off, by any of its names', async () => {
  for (const name of ['eth-uniswap-v3', 'Uniswap V3', 'uniswap-v3', 'eth-dexa-v3']) {
    const verifier = open({ disabled: [name, 'bsc-pancakeswap-v2'] });
    await shows(verifier, 'verified', 'disabled');
    expect([...verifier.servable()]).toEqual(['uniswap-v2']);
    expect(reason(verifier.rows()[1])).toBe('switched off by the operator');
  }
});
