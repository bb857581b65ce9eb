import { openClickHouseStore } from './clickhouse-store.js';
import { crashContract } from './test/crash-contract.js';
import { storeContract } from './test/store-contract.js';
import { storesUnderTest } from './test/stores-under-test.js';

for (const kind of storesUnderTest()) {
  storeContract(kind);
  crashContract(kind);
}

describe('errors of the HTTP store', () => {
  it('never show credentials', async () => {
    const attempt = openClickHouseStore({ url: 'http://someone:se%2Fcret-word@127.0.0.1:1/' });
    const error = await attempt.then(
      () => null,
      (reason: Error) => reason,
    );
    expect(error).toMatchObject({ code: 'store_failed' });
    const everything = `${error!.message} ${error!.stack} ${JSON.stringify(error, Object.getOwnPropertyNames(error))}`;
    expect(everything).not.toMatch(/cret-word/);
    expect(error!.cause).toBeUndefined();
  });
});
