/** Implements `market rotate-keys`: seals every stored secret under the current master key. */
import { withDatabase } from './boot/with-deployment.ts';
import { sealedConnectionColumns } from './features/accounts/connections/index.ts';
import { sealedAgentColumns } from './features/agents/index.ts';
import { sealedDemoColumns } from './features/sandbox/demo/index.ts';
import { sealedMintColumns } from './features/tokens/launches/index.ts';
import { sealedWalletColumns } from './features/wallet-keys/index.ts';
import { sealedPaymentColumns } from './features/x402/index.ts';
import { sealedAnswerColumns } from './platform/idempotency/idempotent-answers.ts';
import { openMasterKeyHolder } from './platform/secrets/master-keys.ts';
import { type ResealReport, resealAll, type SealedColumn } from './platform/secrets/reseal.ts';
import { createSecretBox } from './platform/secrets/secret-box.ts';

export type { ResealReport };

/** Every column that holds sealed text. */
export const sealedColumns: readonly SealedColumn[] = [
  ...sealedAgentColumns,
  ...sealedWalletColumns,
  ...sealedMintColumns,
  ...sealedPaymentColumns,
  ...sealedConnectionColumns,
  ...sealedDemoColumns,
  ...sealedAnswerColumns,
];

export async function rotateDeployment(): Promise<ResealReport> {
  return await withDatabase(async ({ config, database }) => {
    const keys = await openMasterKeyHolder(config).readKeys();
    return await resealAll(database.pool, createSecretBox(keys), sealedColumns);
  });
}
