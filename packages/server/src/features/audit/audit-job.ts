/** Runs the audit every night, so that operators notice broken books before anybody else. */
import type { NetworkName } from '@market/contract';
import { z } from 'zod';
import type { Chain } from '../../platform/chains/chain.ts';
import type { Database } from '../../platform/db/database.ts';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import { runAudit } from './run-audit.ts';

export interface AuditContext {
  readonly database: Database;
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  readonly feeVault: Chain | undefined;
  readonly log: Logger;
  readonly metrics: Metrics;
}

const ONE_DAY_SECONDS = 86_400;

export function auditJob({ database, chains, feeVault, log, metrics }: AuditContext): JobDefinition {
  let findings = 0;
  metrics.gauge('market_audit_findings', 'Invariants broken at the last nightly audit in this process', () => findings);
  return defineJob({
    kind: 'audit.nightly',
    queue: 'audit',
    payload: z.object({}),
    retryAfterSeconds: [],
    everySeconds: ONE_DAY_SECONDS,
    async run() {
      const report = await runAudit(database, chains, feeVault);
      findings = report.findings.length;
      for (const finding of report.findings)
        log.error({ invariant: finding.id, rows: finding.rows }, `the audit found that this does not hold: ${finding.broken}`);
      for (const { network, reason } of report.unchecked)
        log.warn({ network, reason }, 'the audit could not compare this network with its chain: its node is away');
      log.info({ checked: report.checked, findings }, 'nightly audit');
    },
  });
}
