import type { ContractCall } from '#libs/chain/chains/evm/contract-reader.js';
import { keccak256Hex } from '#libs/chain/chains/evm/keccak.js';
import type { RpcCall, RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { ChainSpec, VenueContracts, VenueSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { CodeCheck } from './code-check.js';
import { type CodeReader, codeBytesOf } from './code-reader.js';

/** The block that every question of one check was asked at. */
interface Anchor {
  chainId: number;
  number: number;
  hash: Hex;
}

export interface VenueFindings {
  anchor: Anchor;
  /** By PoolRecord.venue; an empty list: everything is as the manifest says. */
  problems: Map<string, string[]>;
}

/** How the code of venues is read and judged. */
export interface CodeRules {
  reader: CodeReader;
  check: CodeCheck;
  /** Code that the operator vouches for. */
  pins: ReadonlyMap<Hex, Hex>;
}

/** One read of a contract at the anchor, with the rule that its answer has to keep; a null answer: the contract reverted. */
interface Probe {
  call: RpcCall;
  problem(answer: string | null): string | null;
}

type RoutedVenue = VenueSpec & { contracts: VenueContracts };

/**
 * Compares the venues of a chain with the chain itself: chain id, code, getters and fee tiers, all at one block by its
 * hash. It throws only errors of the node; every answer of a contract is a finding.
 */
export async function checkVenues(
  endpoint: RpcEndpoint,
  chain: ChainSpec,
  venues: readonly RoutedVenue[],
  rules: CodeRules,
  signal?: AbortSignal,
): Promise<VenueFindings> {
  const anchor = await readAnchor(endpoint, signal);
  if (anchor.chainId !== chain.chainId) {
    const wrong = `the node serves chain id ${anchor.chainId} instead of ${chain.chainId}`;
    return { anchor, problems: new Map(venues.map(({ venue }) => [venue, [wrong]])) };
  }
  const block = { blockHash: `0x${anchor.hash}` };
  const parts = venues.map((venue) => partsOf(chain, venue));
  const addresses = parts.flatMap((list) => list.map(({ address }) => address));
  const codes = await rules.reader.read(endpoint, addresses, block, signal);
  const probes = venues.map((venue) => getterProbes(chain, venue, block));
  const answers = await endpoint.batch(
    probes.flat().map((probe) => probe.call),
    signal,
  );
  const problems = new Map<string, string[]>();
  let next = 0;
  venues.forEach(({ venue, factory }, index) => {
    const found: (string | null)[] = parts[index]!.map((part) => {
      const pin = rules.pins.get(part.address) ?? null;
      const wrappedNative = chain.wrappedNative.token;
      return rules.check.problem({ ...part, pin, factory, wrappedNative }, codes.get(part.address)!);
    });
    for (const probe of probes[index]!) {
      const answer = answers[next++]!;
      if (answer.error && answer.error.kind !== 'reverted') throw answer.error;
      found.push(probe.problem(answer.error ? null : codeBytesOf(endpoint, answer.result)));
    }
    problems.set(
      venue,
      found.filter((problem) => problem !== null),
    );
  });
  return { anchor, problems };
}

async function readAnchor(endpoint: RpcEndpoint, signal?: AbortSignal): Promise<Anchor> {
  const [chainId, block] = await endpoint.all<unknown>(
    [
      { method: 'eth_chainId', params: [] },
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
    ],
    signal,
  );
  const { number, hash } = (block ?? {}) as { number?: unknown; hash?: unknown };
  const id = quantity(chainId);
  const height = quantity(number);
  if (id === null || height === null || typeof hash !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(hash)) {
    throw endpoint.error('invalid', 'a latest block without chain id, number or hash');
  }
  return { chainId: id, number: height, hash: hash.slice(2).toLowerCase() };
}

function quantity(value: unknown): number | null {
  const number = typeof value === 'string' && /^0x[0-9a-fA-F]{1,13}$/.test(value) ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) ? number : null;
}

/** The contracts of a venue whose code matters. */
function partsOf(chain: ChainSpec, { factory, contracts }: RoutedVenue) {
  const { router, quoter, code } = contracts;
  return [
    { role: 'factory', address: factory, expected: code.factory },
    { role: 'router', address: router, expected: code.router },
    { role: 'wrapped token', address: chain.wrappedNative.token, expected: code.wrappedNative },
    ...(quoter ? [{ role: 'quoter', address: quoter.address, expected: code.quoter ?? null }] : []),
  ];
}

function getterProbes(chain: ChainSpec, { factory, contracts }: RoutedVenue, block: { blockHash: string }): Probe[] {
  const { router, routerFactoryGetter, routerWrappedNativeGetter, quoter, swaps } = contracts;
  const wrapped = chain.wrappedNative.token;
  const probes = [
    getterProbe('router', router, routerFactoryGetter, factory, block),
    getterProbe('router', router, routerWrappedNativeGetter, wrapped, block),
  ];
  if (quoter) {
    probes.push(getterProbe('quoter', quoter.address, quoter.factoryGetter, factory, block));
    probes.push(getterProbe('quoter', quoter.address, quoter.wrappedNativeGetter, wrapped, block));
  }
  for (const { data, problem } of swaps.factoryChecks()) {
    probes.push({
      call: ethCall({ to: factory, data }, block),
      problem: (answer) =>
        answer !== null && /^[0-9a-f]{64}$/.test(answer) && BigInt(`0x${answer}`) > 0n
          ? null
          : `factory 0x${factory} ${problem}`,
    });
  }
  return probes;
}

/** A view without arguments that must answer exactly one address. */
function getterProbe(role: string, to: Hex, name: string, expected: Hex, block: { blockHash: string }): Probe {
  const getter = `${role} 0x${to}: ${name}()`;
  return {
    call: ethCall({ to, data: selectorOf(`${name}()`) }, block),
    problem: (answer) => {
      if (answer === null) return `${getter} reverts`;
      if (!/^0{24}[0-9a-f]{40}$/.test(answer)) return `${getter} answers no address`;
      const found = answer.slice(24);
      return found === expected ? null : `${getter} is 0x${found} instead of 0x${expected}`;
    },
  };
}

function ethCall({ to, data }: ContractCall, block: { blockHash: string }): RpcCall {
  return { method: 'eth_call', params: [{ to: `0x${to}`, data: `0x${data}` }, block] };
}

function selectorOf(signature: string): string {
  return keccak256Hex(Buffer.from(signature, 'ascii')).slice(0, 8);
}
