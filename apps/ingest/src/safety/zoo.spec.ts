import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import { RpcPool } from '#libs/chain/chains/evm/rpc/rpc-pool.js';
import type { Hex } from '#libs/core/ids.js';
import { type AnvilProcess, startAnvil } from '#libs/devkit/devnet/evm/anvil-process.js';
import { Zoo, type ZooAnimal } from '#libs/devkit/devnet/evm/zoo/open-zoo.js';
import { specimens, type ZooTruth } from '#libs/devkit/devnet/evm/zoo/specimens.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { type ProbeHead, readProbeHead } from './probe-head.js';
import { probeToken, type TokenFound } from './probe-token.js';

const COUNT = 200;
const seed = 20_261_129;
const SELDOM = /^Zoo(Pausable|MintRoles|MintCapped|OneWay)$/;

let anvil: AnvilProcess;
let rpc: RpcPool;
let animals: ZooAnimal[];
let head: ProbeHead;

const idOf = (address: string): Hex => address.slice(2).toLowerCase();

beforeAll(async () => {
  anvil = await startAnvil({
    port: 0,
    args: ['--chain-id', '1', '--accounts', '1', '--balance', '1000000', '--no-mining'],
  });
  ({ animals } = await Zoo.open(anvil.rpc, specimens(COUNT, new SeededRandom(seed))));
  rpc = new RpcPool({ urls: [`http://127.0.0.1:${anvil.port}`], chainId: 1 });
  head = await rpc.use((endpoint) => readProbeHead(endpoint));
}, 120_000);

afterAll(async () => {
  await rpc?.close();
  await anvil?.stop();
});

/** The node without a method, or one that passes over state overrides. */
function without(...missing: ('eth_simulateV1' | 'overrides')[]) {
  return (endpoint: RpcEndpoint): RpcEndpoint => {
    const batch: RpcEndpoint['batch'] = (calls, ...rest) =>
      calls.some(({ method }) => missing.includes(method as 'eth_simulateV1'))
        ? Promise.resolve(calls.map(() => ({ error: endpoint.error('method-missing', 'no such method') })))
        : endpoint.batch(calls, ...rest);
    const call = (method: string, params: readonly unknown[], signal?: AbortSignal) =>
      endpoint.call(method, missing.includes('overrides') ? params.slice(0, 2) : params, signal);
    return Object.create(endpoint, { batch: { value: batch }, call: { value: call } }) as RpcEndpoint;
  };
}

const probe = async ({ token, pair }: ZooAnimal, as = (node: RpcEndpoint) => node): Promise<TokenFound> => {
  const pools = [{ pool: idOf(pair), holder: idOf(pair), spender: null }];
  const record = await rpc.use((endpoint) => probeToken(as(endpoint), idOf(token), { pools, head, without: true }));
  return record!;
};

describe('what is found of the tokens of a zoo', () => {
  it(`is true of each of ${COUNT}, or null; and seldom null (seed ${seed})`, async () => {
    const wrong: string[] = [];
    const nulls: { contract: string; said: string }[] = [];
    for (const animal of animals) {
      const { specimen } = animal;
      const { findings } = await probe(animal);
      for (const [field, truth] of Object.entries(specimen.truth) as [keyof ZooTruth, boolean | number | null][]) {
        const { value, detail } = findings[field];
        const said = `${specimen.name}: ${field} ${value} (${detail}), not ${truth}`;
        if (value === null && truth !== null) nulls.push({ contract: specimen.contract, said });
        if (value !== null && value !== truth) wrong.push(said);
      }
    }
    expect(wrong).toEqual([]);
    // Paused from birth, roles in a mapping, a cap that is reached: what the documents say of them.
    expect(nulls.map(({ contract }) => contract)).toEqual(nulls.map(() => expect.stringMatching(SELDOM)));
    expect(nulls.length).toBeLessThan(COUNT * 12 * 0.02);
  }, 120_000);

  it('is never wrong where a node simulates no blocks of plain accounts, and null where it takes no overrides', async () => {
    const kinds = animals.slice(0, 43);
    const wrong: string[] = [];
    let shown = 0;
    for (const animal of kinds) {
      const { findings } = await probe(animal, without('eth_simulateV1'));
      for (const [field, truth] of Object.entries(animal.specimen.truth) as [keyof ZooTruth, unknown][]) {
        const { value, detail } = findings[field];
        if (value !== null) shown++;
        if (value !== null && value !== truth) wrong.push(`${animal.specimen.name}: ${field} ${value} (${detail})`);
      }
      const none = await probe(animal, without('eth_simulateV1', 'overrides'));
      expect(none.findings.sellable).toEqual({ value: null, basis: null, detail: 'the node takes no state overrides' });
      expect(none.findings.proxy.value).toBe(animal.specimen.truth.proxy);
    }
    expect(wrong).toEqual([]);
    expect(shown).toBeGreaterThan(kinds.length * 12 * 0.9);
  }, 120_000);
});
