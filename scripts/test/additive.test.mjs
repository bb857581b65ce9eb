// The check of the documents must see what is taken away or narrowed, and let everything else grow.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { breakingChanges } from '../additive.mjs';

const document = () => ({
  paths: {
    '/trades': {
      get: {
        parameters: [
          { name: 'limit', in: 'query', required: false, schema: { type: 'integer', minimum: 1, maximum: 200 } },
          { name: 'side', in: 'query', required: false, schema: { type: 'string', enum: ['buy', 'sell'] } },
        ],
        responses: {
          200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Trades' } } } },
          400: { content: { 'application/json': { schema: { type: 'object', properties: {} } } } },
        },
      },
    },
  },
  components: {
    schemas: {
      Trades: {
        type: 'object',
        required: ['data'],
        properties: { data: { type: 'array', items: { $ref: '#/components/schemas/Trade' } } },
      },
      Trade: {
        type: 'object',
        required: ['id', 'price'],
        properties: {
          id: { type: 'string' },
          price: { type: ['number', 'null'] },
          next: { $ref: '#/components/schemas/Trade' },
        },
      },
    },
  },
});

const changesOf = (change) => {
  const changed = document();
  change(changed.paths['/trades'].get, changed.components.schemas, changed.paths);
  return breakingChanges(document(), changed);
};

const live = () => ({
  asyncapi: '3.0.0',
  channels: {
    trades: {
      messages: {
        subscribe: { payload: { type: 'object', properties: { op: { type: 'string' } }, required: ['op'] } },
        snapshot: { payload: { type: 'object', properties: { seq: { type: 'integer' } }, required: ['seq'] } },
      },
    },
  },
});

describe('documents that only grow', () => {
  it('may get routes, parameters, fields, statuses and wider limits', () => {
    const found = changesOf((route, schemas, paths) => {
      paths['/more'] = { get: { responses: {} } };
      route.parameters.push({ name: 'wallet', in: 'query', required: false, schema: { type: 'string' } });
      route.parameters[0].schema.maximum = 500;
      route.parameters[1].schema.enum.push('both');
      route.responses[503] = {};
      schemas.Trade.properties.tags = { type: 'array', items: { type: 'string' } };
      schemas.Trade.required.push('tags');
      schemas.Trade.properties.price = { type: 'number' };
    });
    assert.deepEqual(found, []);
  });

  const broken = [
    ['a route', (_route, _schemas, paths) => delete paths['/trades'], /GET \/trades is gone/],
    ['a parameter', (route) => route.parameters.pop(), /parameter side is gone/],
    ['a value', (route) => route.parameters[1].schema.enum.pop(), /does not take sell/],
    ['a limit', (route) => Object.assign(route.parameters[0].schema, { maximum: 100 }), /maximum 200 became 100/],
    ['a pattern', (route) => Object.assign(route.parameters[1].schema, { pattern: '^b' }), /pattern none became/],
    ['a kind', (route) => Object.assign(route.parameters[0].schema, { type: 'boolean' }), /takes no integer any more/],
    ['a freedom', (route) => Object.assign(route.parameters[0], { required: true }), /parameter limit is required now/],
    [
      'its ease',
      (route) => route.parameters.push({ name: 'x', in: 'query', required: true, schema: {} }),
      /new and required/,
    ],
    ['a field of a row', (_route, { Trade }) => delete Trade.properties.id, /data\[\]\.id is gone/],
    ['a promise', (_route, { Trade }) => Trade.required.shift(), /data\[\]\.id may be missing now/],
    [
      'a certainty',
      (_route, { Trade }) => Object.assign(Trade.properties.id, { type: ['string', 'null'] }),
      /data\[\]\.id may be null now/,
    ],
    ['a status', (route) => delete route.responses[400], /answers no 400 any more/],
  ];
  for (const [what, change, message] of broken) {
    it(`may not lose ${what}`, () => assert.match(changesOf(change).join('\n'), message));
  }

  it('may not lose a frame or a field of it, nor ask for more', () => {
    const changed = live();
    delete changed.channels.trades.messages.snapshot.payload.properties.seq;
    changed.channels.trades.messages.subscribe.payload.required.push('token');
    assert.deepEqual(breakingChanges(live(), changed), [
      'trades, subscribe.token is required now',
      'trades, snapshot.seq is gone',
    ]);
    const without = live();
    delete without.channels.trades.messages.snapshot;
    assert.deepEqual(breakingChanges(live(), without), ['trades, snapshot is gone']);
    assert.deepEqual(breakingChanges(live(), live()), []);
  });
});
