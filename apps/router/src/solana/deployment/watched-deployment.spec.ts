import { TIDEPOOL_AMM, TIDEPOOL_LAUNCHPAD, TIDEPOOL_SWAP } from '#libs/chain/chains/solana/tidepool-programs.js';
import { MarketListing } from '#libs/devkit/devnet/solana/market/market-listing.js';
import { MarketRunner } from '#libs/devkit/devnet/solana/market/market-runner.js';
import { signTransaction } from '#libs/devkit/devnet/solana/market/sign-transaction.js';
import { SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { faultyNode } from '#libs/routing/pools/solana/test/faulty-node.js';
import { nodesAt } from '#libs/routing/pools/solana/test/local-pools.js';
import { type Instruction, idOf, setFee, setPaused, setRow } from '#programs/client.js';
import { WatchedDeployment } from './watched-deployment.js';

const SEED = 3;

/** The config of a deployment over a node that moves on, answers late, answers what is old, or does not answer. */
describe('a watched deployment', () => {
  const program = idOf(TIDEPOOL_SWAP);
  const { deployer } = new MarketListing(SEED);
  let market: MarketRunner;
  /** Fee, pause and live rows by slot, as the chain itself had them. */
  const history = new Map<number, string>();
  let now = { fee: 500, paused: false, live: true };

  const note = (slot: number) => history.set(slot, JSON.stringify(now));
  const block = () => note(Number(market.slot({ traders: false }).slot));
  beforeAll(async () => {
    market = await MarketRunner.start({ seed: SEED, historyBlocks: 2, historySeconds: 60, autoSlots: false });
    for (let n = 0; n < 3; n++) block();
  });
  afterAll(() => market?.chain.stop());

  /** One change of the config, in a block of its own. */
  function change(random: SeededRandom): void {
    const live = (on: boolean) =>
      setRow(program, deployer.id, { program: idOf(TIDEPOOL_LAUNCHPAD), kind: 'curve', live: on });
    const [next, instruction] = random.pick<() => [typeof now, Instruction]>([
      () => [{ ...now, paused: !now.paused }, setPaused(program, deployer.id, !now.paused)],
      () => [{ ...now, live: !now.live }, live(!now.live)],
      () => [
        { ...now, fee: now.fee === 500 ? 400 : 500 },
        setFee(program, deployer.id, null, now.fee === 500 ? 400 : 500),
      ],
    ])();
    const order = { version: 0 as const, payer: deployer, instructions: [instruction] };
    const signature = market.chain.send(signTransaction(order, market.chain.blockhash()));
    now = next;
    block();
    if (market.chain.resultOf(signature) !== null) throw new Error('the change failed');
  }

  const shown = (deployment: WatchedDeployment): string | null => {
    const state = deployment.state();
    if (state === null) return null;
    const { maxFeeBps, paused, rows } = state.config;
    return JSON.stringify({ fee: maxFeeBps, paused, live: rows[1]!.live });
  };

  it('shows what the chain had at the slot that it names, never goes back, and comes to the newest', async () => {
    const seed = testSeed(8);
    console.log(`seed ${seed}`);
    const random = new SeededRandom(seed);
    const node = await faultyNode(market.chain.rpcUrl, random, block);
    const nodes = nodesAt(node.url, market.chain.rpcUrl);
    const options = { chain: 'local', program, nodes, pollMs: 2, sweepMs: 5, maxAgeMs: 200_000 };
    const deployment = new WatchedDeployment({ ...options, socketUrls: [market.chain.wsUrl] });
    const end = new AbortController();
    const running = deployment.run(end.signal);
    try {
      let newest = 0;
      let looks = 0;
      const rounds = scaled(300, 40);
      // How often the node is asked in a round depends on the machine: there are more rounds until it made every kind of fault.
      for (let n = 0; n < rounds || (n < 100 * rounds && Object.values(node.faults).includes(0)); n++) {
        change(random);
        block();
        const wanted = JSON.stringify(now);
        await until('the newest config', () => {
          const state = deployment.state();
          if (state === null) return false;
          looks++;
          expect({ seed, slot: state.slot, shown: shown(deployment) }).toEqual({
            seed,
            slot: state.slot,
            shown: history.get(state.slot),
          });
          expect(state.slot).toBeGreaterThanOrEqual(newest);
          newest = state.slot;
          return shown(deployment) === wanted;
        });
      }
      expect(looks).toBeGreaterThan(40);
      expect(Math.min(...Object.values(node.faults))).toBeGreaterThan(0);
    } finally {
      end.abort();
      await running;
      await nodes.close();
      await node.close();
    }
  });

  it('shows nothing once no node confirms it, nor of a program that has no config, and says why', async () => {
    const node = await faultyNode(market.chain.rpcUrl, new SeededRandom(1), () => undefined);
    const nodes = nodesAt(node.url);
    const end = new AbortController();
    const watch = (of: string, maxAgeMs: number) => {
      const deployment = new WatchedDeployment({ chain: 'local', program: idOf(of), nodes, pollMs: 2, maxAgeMs });
      expect([deployment.state(), deployment.problem]).toEqual([
        null,
        'the config of the swap program was not read yet',
      ]);
      return { deployment, running: deployment.run(end.signal) };
    };
    const lasting = watch(TIDEPOOL_SWAP, 60_000);
    const other = watch(TIDEPOOL_AMM, 60_000);
    const brief = watch(TIDEPOOL_SWAP, 100);
    try {
      await until('the config is read', () => lasting.deployment.state() !== null);
      await until('the other program is read', () =>
        other.deployment.problem.includes('is no swap program with a config'),
      );
      expect(other.deployment.state()).toBeNull();
      await until('the config is confirmed', () => brief.deployment.state() !== null);
      node.silent = true;
      await until('nothing confirms it', () => brief.deployment.state() === null);
      expect(brief.deployment.problem).toBe('no node tells the config of the swap program');
      expect(lasting.deployment.state()).not.toBeNull();
      node.silent = false;
      await until('it is confirmed again', () => brief.deployment.state() !== null);
    } finally {
      end.abort();
      await Promise.all([lasting.running, other.running, brief.running]);
      await nodes.close();
      await node.close();
    }
  });
});
