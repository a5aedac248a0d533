/** Dependencies of this feature. */
import type { Clock } from '../../platform/clock/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Spool } from '../../platform/storage/spool.ts';
import type { FileStorage } from '../../platform/storage/storage.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { FileLinks } from './file-links.ts';

export interface StorageQuota {
  readonly bytes: number;
  readonly files: number;
}

export interface StorageQuotas {
  readonly agent: StorageQuota;
  readonly account: StorageQuota;
}

export interface UploadsContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly storage: FileStorage;
  readonly spool: Spool;
  readonly links: FileLinks;
  readonly quotas: StorageQuotas;
}
