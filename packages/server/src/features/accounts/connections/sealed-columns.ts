/** Where secrets of the authorization server are stored. */
import type { SealedColumn } from '../../../platform/secrets/reseal.ts';
import { sealedRecords } from './provider-storage.ts';
import { sealedSigningKeys } from './signing-key.ts';

export const sealedConnectionColumns: readonly SealedColumn[] = [sealedRecords, sealedSigningKeys];
