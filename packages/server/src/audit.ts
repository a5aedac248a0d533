/** Implements `market audit`: one report over the deployment's books and chains. */
import { withChains } from './boot/with-deployment.ts';
import { type AuditReport, runAudit } from './features/audit/index.ts';

export type { AuditReport };

export async function auditDeployment(): Promise<AuditReport> {
  return await withChains(({ database, chains }) => runAudit(database, chains));
}
