import type { FrameOfChannel } from '#libs/serve/client/live-frame.js';
import type { TokenBody } from '#libs/serve/contract/rest/token-body.js';
import type { Clients } from '../state/clients.js';
import { PageMoment } from './page-moment.js';
import { TokenFeed } from './token-feed.js';

type Frame = FrameOfChannel<'token'>;

function followed() {
  let tell: (frame: Frame) => void = () => undefined;
  let ended = 0;
  const subscribe = (_request: unknown, listener: (frame: Frame) => void) => {
    tell = listener;
    return { unsubscribe: () => void ended++ };
  };
  const clients = { live: { subscribe } } as unknown as Clients;
  const feed = new TokenFeed(clients, { channel: 'token', chain: 'eth', token: '0x1' }, new PageMoment());
  const send = (frame: object) => tell({ id: '1', channel: 'token', epoch: 'e', seq: 1, ...frame } as Frame);
  return { feed, send, ended: () => ended };
}

const body = { address: '0x1', symbol: 'A', priceUsd: 1, holders: 3 } as TokenBody;

it('puts what trades moved over the whole token', () => {
  const { feed, send, ended } = followed();
  send({ type: 'token', data: { priceUsd: 9, trades: 1 } });
  expect(feed.token.value).toEqual({ body: null, error: null });
  send({ type: 'snapshot', data: body });
  send({ type: 'token', data: { priceUsd: 2, holders: 4, trades: 2 } });
  expect(feed.token.value).toEqual({ body: { ...body, priceUsd: 2, holders: 4 }, error: null });
  feed.stop();
  send({ type: 'snapshot', data: body });
  expect(feed.token.value.body?.priceUsd).toBe(2);
  expect(ended()).toBe(1);
});

it('says why there is none: it was refused, or no block names it any more', () => {
  const { feed, send } = followed();
  send({ type: 'error', code: 'server_busy', message: 'later' });
  expect(feed.token.value).toMatchObject({ body: null, error: { code: 'server_busy', status: 503 } });
  send({ type: 'snapshot', data: body });
  expect(feed.token.value).toEqual({ body, error: null });
  send({ type: 'snapshot', data: null });
  expect(feed.token.value).toMatchObject({ body: null, error: { code: 'not_found', status: 404 } });
});
