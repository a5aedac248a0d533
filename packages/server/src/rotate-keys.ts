/** Implements `market rotate-keys`: seals every stored secret under the current master key. */
import { withDatabase } from './boot/with-deployment.ts';
import { sealedAgentColumns } from './features/agents/index.ts';
import { sealedDemoColumns } from './features/demo/index.ts';
import { sealedWalletColumns } from './features/wallets/index.ts';
import { sealedPaymentColumns } from './features/x402/index.ts';
import { sealedAnswerColumns } from './platform/idempotency/idempotent-answers.ts';
import { loadKeyFile } from './platform/secrets/key-file.ts';
import { type ResealReport, resealAll, type SealedColumn } from './platform/secrets/reseal.ts';
import { createSecretBox } from './platform/secrets/secret-box.ts';

export type { ResealReport };

/** Every column that holds sealed text. */
export const sealedColumns: readonly SealedColumn[] = [
  ...sealedAgentColumns,
  ...sealedWalletColumns,
  ...sealedPaymentColumns,
  ...sealedDemoColumns,
  ...sealedAnswerColumns,
];

export async function rotateDeployment(): Promise<ResealReport> {
  return await withDatabase(async ({ config, database }) => {
    const current = config.masterKey.current ?? (await loadKeyFile(config.dataDir, 'master'));
    return await resealAll(database.pool, createSecretBox({ current, previous: config.masterKey.previous }), sealedColumns);
  });
}
