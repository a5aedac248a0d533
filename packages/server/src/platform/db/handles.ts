/** The database handles that repositories get. */
import type { Kysely, Transaction } from 'kysely';
import type { Schema } from './schema.generated.ts';

/** Reads and single statements. A `Tx` is also a `Db`, so a repository function takes either. */
export type Db = Kysely<Schema>;
export type Tx = Transaction<Schema>;
