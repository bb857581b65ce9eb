import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { coinFactoryAddress, coinV4ABI } from '@zoralabs/protocol-deployments';
import { encodeAbiParameters, encodeFunctionData, parseAbiParameters, zeroAddress } from 'viem';
import { base } from '#libs/chain/catalogue/test/chain-specs.js';
import { type AskedCall, FakeEvmNode } from '../../src/launch/evm/test/fake-evm-node.js';
import { samplePicture } from '../../src/launch/sample-picture.js';
import { LaunchWorld, refused } from './launch-world.js';
import { MemoryMetadata } from './memory-metadata.js';

/** What the router does with the picture of a create that works otherwise: the node answers for a factory that takes it. */
const COIN = `0x${'c0'.repeat(20)}` as const;
const MADE = encodeAbiParameters(parseAbiParameters('address, bytes'), [COIN, '0x']);
const POOL_KEY = encodeAbiParameters(parseAbiParameters('address, address, uint24, int24, address'), [
  ...([zeroAddress, COIN, 0x800000, 200, `0x${'d0'.repeat(20)}`] as const),
]);
const KEY_CALL = encodeFunctionData({ abi: coinV4ABI, functionName: 'getPoolKey' });
const answer = ({ to, data }: AskedCall): string => {
  if (to === coinFactoryAddress[8453].toLowerCase()) return MADE;
  if (to === COIN && data === KEY_CALL) return POOL_KEY;
  throw new Error(`the builder asked ${to}`);
};
const HOST = 'pictures.example.com';
const PRIVATE_HOST = 'inside.example.com';
const MOST = 5 * 1024 * 1024;

const send =
  (type: string, body: Buffer | string): RequestListener =>
  (_request, response) => {
    response.setHeader('content-type', type);
    response.end(body);
  };
const answers: Record<string, RequestListener> = {
  '/ring.png': send('image/png', samplePicture()),
  '/untyped': send('application/octet-stream', samplePicture()),
  '/page': send('text/html', '<p>swordfish</p>'),
  '/lie.png': send('image/png', 'swordfish'),
  '/program.svg': send('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'),
  '/large.png': send('image/png', Buffer.concat([samplePicture(), Buffer.alloc(MOST)])),
  '/missing': (_request, response) => {
    response.statusCode = 404;
    response.end('swordfish');
  },
  '/away': (request) => request.socket.destroy(),
  '/inside': (_request, response) => {
    response.writeHead(302, { location: `http://${PRIVATE_HOST}:${port}/ring.png` });
    response.end();
  },
  '/address': (_request, response) => {
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' });
    response.end();
  },
};
const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(`${request.headers.host} ${request.url}`);
  answers[request.url!]!(request, response);
});
let port: number;
let node: FakeEvmNode;
let world: LaunchWorld;
let kept: MemoryMetadata;

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  ({ port } = server.address() as AddressInfo);
  node = await FakeEvmNode.start(base, answer);
  kept = new MemoryMetadata();
  world = await LaunchWorld.start({
    ...{ localNodes: new Map([['base', node.url]]), limits: { take: () => 0 }, metadata: kept, imagePorts: [port] },
    parts: {
      // One name leads to this spec's server, which counts as public; the other inside.
      resolve: async (host) => [{ address: host === PRIVATE_HOST ? '127.0.0.2' : '127.0.0.1', family: 4 }],
      isPublic: (address) => address === '127.0.0.1',
    },
  });
});
afterAll(async () => {
  await world?.close();
  await node?.close();
  await new Promise((done) => server.close(done));
});

let names = 0;
/** A create of a name of its own, so that its metadata are its own as well. */
function create(path: string) {
  const name = `Drift ${names++}`;
  const image = `http://${HOST}:${port}${path}`;
  const body = { platform: 'zora', creator: `0x${'a1'.repeat(20)}`, name, symbol: 'TIDE', image, rpcUrl: node.url };
  return world.post('/launch/base', body);
}

it('a picture is fetched once, and stands in the metadata under the address that was given', async () => {
  for (const path of ['/ring.png', '/untyped']) {
    asked.splice(0);
    const { status, body } = await create(path);
    expect([path, status, body.error, body.data?.warnings]).toEqual([path, 200, null, []]);
    expect(asked).toEqual([`${HOST}:${port} ${path}`]);
    const file = (await (await fetch(body.data.metadataUri)).json()) as { image: string };
    expect(file.image).toBe(`http://${HOST}:${port}${path}`);
  }
});

it('one that its server does not give now is a warning: others may see it later', async () => {
  const { status, body } = await create('/away');
  expect([status, body.error, body.data?.warnings]).toEqual([200, null, ['image_not_checked']]);
});

it.each([
  ['/page', /^image: /],
  ['/lie.png', /^image: the file is no PNG, JPEG, WebP or GIF picture/],
  ['/program.svg', /^image: /],
  ['/large.png', /^image: /],
  ['/missing', /^image: /],
  ['/inside', /^image: the host does not lead to a public address$/],
  ['/address', /^image: the address is not a public one/],
])('%s is refused, nothing of what was read is said, and no metadata are kept', async (path, message) => {
  asked.splice(0);
  const put = jest.spyOn(kept, 'put');
  try {
    const { status, body } = await create(path);
    expect([path, status, body]).toEqual([path, 400, refused('bad_request', message)]);
    expect(JSON.stringify(body)).not.toContain('swordfish');
    expect(put).not.toHaveBeenCalled();
    // No hop was made to where a redirect leads inside.
    expect(asked).toEqual([`${HOST}:${port} ${path}`]);
    expect(world.problems).toEqual([]);
  } finally {
    put.mockRestore();
  }
});
