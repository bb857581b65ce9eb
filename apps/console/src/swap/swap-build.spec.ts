import { ApiError } from '#libs/serve/client/api-error.js';
import type { SwapRequest } from '#libs/serve/client/router-client.js';
import type { EvmSwapAnswer } from '#libs/serve/contract/rest/evm/swap-body.js';
import { SwapBuild } from './swap-build.js';

const request = (userPublicKey: string) => ({ userPublicKey }) as SwapRequest;
const answerFor = (id: string) => ({ expiresAt: id }) as EvmSwapAnswer;

/** A router that answers when the test says so. */
function scripted(ended?: (error: unknown) => boolean) {
  const asked: { resolve: (answer: EvmSwapAnswer) => void; reject: (error: unknown) => void; signal: AbortSignal }[] =
    [];
  const build = new SwapBuild({
    ask: (_request, signal) =>
      new Promise<EvmSwapAnswer>((resolve, reject) => void asked.push({ resolve, reject, signal })),
    ended,
  });
  return { asked, build };
}

it('goes from nothing over building to built, and back', async () => {
  const { asked, build } = scripted();
  expect(build.state.value).toEqual({ name: 'none' });
  const running = build.build(request('a'));
  expect(build.state.value).toEqual({ name: 'building' });
  asked[0]!.resolve(answerFor('1'));
  await running;
  expect(build.state.value).toMatchObject({ name: 'built', answer: answerFor('1') });
  build.drop();
  expect(build.state.value).toEqual({ name: 'none' });
});

it('ignores an answer that is not waited for', async () => {
  const { asked, build } = scripted();
  const first = build.build(request('a'));
  const second = build.build(request('b'));
  expect(asked[0]!.signal.aborted).toBe(true);
  asked[1]!.resolve(answerFor('2'));
  await second;
  asked[0]!.resolve(answerFor('1'));
  await first;
  expect(build.state.value).toMatchObject({ answer: answerFor('2') });

  const third = build.build(request('c'));
  build.drop();
  asked[2]!.reject(new ApiError('network', 'away'));
  await third;
  expect(build.state.value).toEqual({ name: 'none' });
});

it('keeps what the router said against it', async () => {
  const { asked, build } = scripted((error) => (error as ApiError).status === 401);
  const refused = new ApiError('quote_moved', 'raise the slippage', 409);
  const first = build.build(request('a'));
  asked[0]!.reject(refused);
  await first;
  expect(build.state.value).toEqual({ name: 'refused', error: refused });
  const second = build.build(request('a'));
  asked[1]!.reject(new ApiError('unauthorized', 'no such key', 401));
  await second;
  expect(build.state.value).toEqual({ name: 'building' });
});
