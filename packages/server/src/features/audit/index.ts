/** The audit: zero findings means sound. */
export { auditJob } from './audit-job.ts';
export { type AuditReport, type Finding, runAudit } from './run-audit.ts';
