import { Agent, request as httpRequest } from 'node:http';
import fc from 'fast-check';
import { parse } from 'yaml';
import { schemaProblems } from '#libs/devkit/testing/schema-check.js';
import { propertySeeds, scaled } from '#libs/devkit/testing/seeded-random.js';
import { routerErrorCodes } from '../src/http/router-problem.js';
import { COIN, RouterHarness, WALLET } from './router-harness.js';

/**
 * Nothing a client sends gives a 500. Requests are made from the document: for each parameter what its schema allows and
 * what it does not. Every answer is one that the document knows: a status, a code of the closed list, JSON that fits.
 */
describe('fuzz and failures of the router', () => {
  const [seed] = propertySeeds(1, 20_250_607) as [number];
  let harness: RouterHarness;
  // biome-ignore lint/suspicious/noExplicitAny: a parsed document
  let document: any;
  let quotes: object[];

  beforeAll(async () => {
    harness = await RouterHarness.start();
    document = parse((await harness.get('/openapi.yaml')).text);
    quotes = [
      (await harness.quote()).body,
      (await harness.quote({ outputMint: `0x${harness.c}`, maxHops: '3' })).body,
      (await harness.quote({ chain: 'bsc', outputMint: `0x${harness.chain('bsc').spec.wrappedNative.token}` })).body,
    ];
  });
  afterAll(async () => {
    agent.destroy();
    await harness.close();
  });

  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom(
      ...['', ' ', '0', '-0', '-1', '1.0', '1e3', '1e999', 'NaN', 'Infinity', 'null', 'true', 'TRUE', '[]', '{}', '0x'],
      ...['__proto__', 'constructor', 'hasOwnProperty', '\u0000', '\ud800', '٣', '9'.repeat(79), '9'.repeat(3_000)],
      ...[`0x${'0'.repeat(40)}`, COIN, 'native', `0x${'f'.repeat(40)}`, '18446744073709551616', '%', '%zz', '../..'],
    ),
  );

  const mostly = (kind: fc.Arbitrary<unknown>, other: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
    fc.oneof({ weight: 8, arbitrary: kind }, { weight: 1, arbitrary: other });

  /** Values of one schema: within it, at its edges and beyond. */
  // biome-ignore lint/suspicious/noExplicitAny: a schema of the document
  const valuesOf = (name: string, schema: any): fc.Arbitrary<unknown> => {
    if (schema.oneOf) {
      const [first, ...others] = schema.oneOf.map((choice: object) => ({
        weight: 1,
        arbitrary: valuesOf(name, choice),
      }));
      return fc.oneof({ ...first, weight: 6 }, ...others);
    }
    if (schema.$ref) return fc.constantFrom<unknown>(...quotes);
    if (schema.enum) return mostly(fc.constantFrom(...schema.enum, 'ExactOut'), hostile);
    if (schema.type === 'integer') {
      const edges = [0, 1, 2, 3, 4, schema.minimum ?? 0, schema.maximum ?? 0, (schema.maximum ?? 0) + 1, -1, 2 ** 53];
      return mostly(fc.constantFrom(...edges), fc.oneof(fc.integer(), fc.double(), hostile));
    }
    if (schema.type === 'boolean') return mostly(fc.constantFrom(true, false, 'true', 'false', '1', '0'), hostile);
    if (schema.type === 'array') return fc.array(valuesOf(name, schema.items), { maxLength: 4 });
    return mostly(usual(name), hostile);
  };

  const usual = (name: string): fc.Arbitrary<unknown> => {
    if (/^chain/.test(name))
      return fc.constantFrom('eth', 'eth', 'ETHEREUM', '1', 'bsc', 'base', 'chaind', '56', 'sol');
    if (/Mint$/.test(name)) {
      const { a, b, c, lonely } = harness;
      const coin = `0x${harness.chain('eth').spec.wrappedNative.token}`;
      return fc.constantFrom('native', COIN, coin, `0x${a}`, `0x${b.toUpperCase()}`, `0x${c}`, `0x${lonely}`);
    }
    if (name === 'amount')
      return fc.oneof(
        fc.bigInt(0n, 2n ** 257n).map(String),
        fc.bigInt(0n, 2n ** 70n).map(String),
        fc.constantFrom('0', '000', '007'),
      );
    if (/[dD]ex/.test(name))
      return fc.constantFrom('uniswap', 'Uniswap V2', 'pancakeswap-v3', 'foo', 'uniswapv3,foo', 'dexa');
    if (/userPublicKey|recipient/.test(name)) return fc.constantFrom(WALLET, COIN, `0x${'0'.repeat(39)}2`);
    return hostile;
  };

  /** A good body in which up to three names of the schema have other values or none. */
  // biome-ignore lint/suspicious/noExplicitAny: a schema of the document
  const bodiesOf = (schema: any): fc.Arbitrary<Record<string, unknown>> => {
    const needed: string[] = schema.required ?? [];
    const good = fc.constantFrom(...quotes).map((quoteResponse) => ({
      ...(needed.includes('quoteResponse') ? { quoteResponse } : harness.usual()),
      ...(needed.includes('userPublicKey') ? { userPublicKey: WALLET } : {}),
    }));
    const one = fc.constantFrom(...Object.keys(schema.properties)).chain((name) => {
      const value = valuesOf(name, schema.properties[name]);
      const any = fc.oneof(
        { weight: 10, arbitrary: value },
        { weight: 1, arbitrary: fc.jsonValue() },
        fc.constant(undefined),
      );
      return fc.tuple(fc.constant(name), any);
    });
    return fc
      .tuple(good, fc.array(one, { maxLength: 3 }))
      .map(([body, changes]) => ({ ...body, ...Object.fromEntries(changes) }));
  };

  const counts = new Map<string, number>();
  const check = (answer: { status: number; text: string }, of: string) => {
    // biome-ignore lint/suspicious/noExplicitAny: any answer
    const body: any = JSON.parse(answer.text);
    const code = typeof body.error === 'object' ? body.error.code : body.error;
    counts.set(code ?? 'ok', (counts.get(code ?? 'ok') ?? 0) + 1);
    if (answer.status === 200) {
      expect(schemaProblems(document, document.components.schemas[of], body)).toEqual([]);
      return;
    }
    expect([400, 404, 409, 413, 422, 503]).toContain(answer.status);
    expect(routerErrorCodes).toContain(code);
    expect(body.error === 'not_ready' ? body.reasons.length : body.reason.length).toBeGreaterThan(0);
    expect(answer.text).not.toMatch(/\bat .*\.(ts|js):\d+/);
  };

  const settings = () => ({ seed, numRuns: scaled(10_000, 300), endOnFailure: true });

  it(`are told by GET what is wrong (seed ${seed})`, async () => {
    const names = document.paths['/evm/quote'].get.parameters.map((parameter: { name: string }) => parameter.name);
    const schema = document.components.schemas.EvmQuoteParameters;
    const extra = fc.array(fc.tuple(fc.oneof(fc.constantFrom<string>(...names), hostile), hostile), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(bodiesOf(schema), extra, async (parameters, more) => {
        const query = new URLSearchParams();
        for (const [name, value] of Object.entries(parameters))
          query.append(name, typeof value === 'string' ? value : String(JSON.stringify(value)));
        for (const [name, value] of more) query.append(name, value);
        const text = query.toString();
        if (text.length < 12_000) check(await raw(harness, 'GET', `/evm/quote?${text}`), 'EvmQuote');
      }),
      settings(),
    );
  }, 600_000);

  it(`are told by POST what is wrong (seed ${seed})`, async () => {
    const { EvmQuoteParameters, EvmSwapOfQuote, EvmSwapOfParameters } = document.components.schemas;
    const asked = fc.oneof(
      bodiesOf(EvmQuoteParameters).map((body) => ['/evm/quote', body] as const),
      bodiesOf(EvmSwapOfQuote).map((body) => ['/evm/swap', body] as const),
      bodiesOf(EvmSwapOfParameters).map((body) => ['/evm/swap-instructions', body] as const),
    );
    await fc.assert(
      fc.asyncProperty(asked, async ([path, body]) => {
        const text = JSON.stringify(body);
        check(await raw(harness, 'POST', path, text), path === '/evm/quote' ? 'EvmQuote' : 'EvmSwapAnswer');
      }),
      settings(),
    );
  }, 600_000);

  it(`may send any bytes (seed ${seed})`, async () => {
    const sent = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map((text) => Buffer.from(text)),
      fc.tuple(fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 3 })).map(([place, bytes]) => {
        const text = Buffer.from(JSON.stringify({ quoteResponse: quotes[0], userPublicKey: WALLET }));
        bytes.forEach((byte, i) => {
          text[(place + i) % text.length] = byte;
        });
        return text;
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('/evm/quote', '/evm/swap'), sent, async (path, bytes) => {
        check(
          await raw(harness, 'POST', path, Buffer.from(bytes)),
          path === '/evm/quote' ? 'EvmQuote' : 'EvmSwapAnswer',
        );
      }),
      settings(),
    );
  }, 600_000);

  it('were answered in every way there is, and logged nothing', () => {
    expect(harness.problems).toEqual([]);
    const reached = [
      'ok',
      'bad_request',
      'zero_amount',
      'unknown_dex',
      'unsupported',
      'no_route',
      'low_liquidity',
      'quote_mismatch',
    ];
    for (const code of reached) expect([code, counts.get(code) ?? 0]).not.toEqual([code, 0]);
  });
});

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** As written, without what a client library would put right. */
function raw(
  harness: RouterHarness,
  method: string,
  path: string,
  body?: string | Buffer,
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(harness.router.url);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, method, path, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString('utf8') }));
    });
    request.on('error', reject);
    request.end(body);
  });
}
