import { openChdbStore } from '#libs/pipeline/store/chdb-store.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import type { Config } from '#libs/platform/config.js';
import type { DataFolder } from '#libs/platform/data-folder.js';

/** The analytics store the configuration names: ClickHouse, or chDB in the data folder. */
export async function openStore(config: Config, folder: DataFolder): Promise<AnalyticsStore> {
  if (config.clickhouse === null) {
    return openChdbStore({ dir: folder.path('store'), cacheBytes: config.storeCacheBytes });
  }
  const { openClickHouseStore } = await import('#libs/pipeline/store/clickhouse-store.js');
  return openClickHouseStore({ url: config.clickhouse.url });
}
