/** Implements `market audit`: one report on the deployment's books and chains, or on its public figures. */
import { withChains, withDatabase } from './boot/with-deployment.ts';
import { type AuditReport, auditFigures, runAudit } from './features/audit/index.ts';

export type { AuditReport };

export async function auditDeployment(): Promise<AuditReport> {
  return await withChains(({ database, chains, feeVault }) => runAudit(database, chains, feeVault));
}

export async function auditDeployedFigures(): Promise<AuditReport> {
  return await withDatabase(({ database }) => auditFigures(database));
}
