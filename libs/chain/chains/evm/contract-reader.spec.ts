import { AdaptiveSize } from '../rpc/adaptive-size.js';
import { RpcError, type RpcErrorKind } from '../rpc/rpc-error.js';
import { ContractReader } from './contract-reader.js';
import type { RpcAnswer, RpcCall, RpcEndpoint } from './rpc/endpoint.js';

const reverted = (): RpcAnswer => ({ error: new RpcError('reverted', 'reverted') });
const failed = (kind: RpcErrorKind): RpcAnswer => ({ error: new RpcError(kind, kind) });
const target = (call: RpcCall): string => (call.params[0] as { to: string }).to.slice(2);

/** An endpoint that answers calls by their target. */
function endpoint(answer: (to: string, call: RpcCall) => RpcAnswer): RpcEndpoint {
  const bundled = new AdaptiveSize(100);
  return {
    sizeOf: () => bundled,
    batch: (calls: readonly RpcCall[]) => Promise.resolve(calls.map((call) => answer(target(call), call))),
    error: (kind: RpcErrorKind, message: string) => new RpcError(kind, message),
  } as unknown as RpcEndpoint;
}

const calls = ['aa', 'bb', 'cc', 'dd'].map((name) => ({ to: name.repeat(20), data: '313ce567' }));

describe('contract reader', () => {
  it('asks alone when there is no multicall3 or the bundle burns all gas', async () => {
    for (const bundle of [{ result: '0x' }, reverted()]) {
      const asked: string[] = [];
      const node = endpoint((to) => {
        asked.push(to.slice(0, 2));
        if (to === 'ee'.repeat(20)) return bundle as RpcAnswer;
        return to.startsWith('bb') ? reverted() : { result: `0x${to.slice(0, 2)}` };
      });
      expect(await new ContractReader('ee'.repeat(20)).read(node, calls, 'latest')).toEqual(['aa', null, 'cc', 'dd']);
      expect(asked).toEqual(['ee', 'aa', 'bb', 'cc', 'dd']);
    }
  });

  it('throws what is about the node, never taking it for an answer', async () => {
    for (const kind of ['server', 'transport', 'pruned', 'unknown-block', 'rate-limited'] as const) {
      const node = endpoint(() => failed(kind));
      for (let n = 0; n < 10; n++) {
        await expect(new ContractReader(null).read(node, calls, 'latest')).rejects.toMatchObject({ kind });
      }
    }
    const strange = endpoint(() => ({ result: '0x1' }));
    await expect(new ContractReader(null).read(strange, calls, 'latest')).rejects.toMatchObject({ kind: 'invalid' });
  });

  it('gives up on one call that keeps failing where all others are answered', async () => {
    const node = endpoint((to) => (to.startsWith('cc') ? failed('server') : { result: '0x12' }));
    const reader = new ContractReader(null);
    for (let n = 0; n < 3; n++)
      await expect(reader.read(node, calls, 'latest')).rejects.toMatchObject({ kind: 'server' });
    expect(await reader.read(node, calls, 'latest')).toEqual(['12', '12', null, '12']);
    await expect(reader.read(node, calls, 'latest')).rejects.toMatchObject({ kind: 'server' });
  });
});
