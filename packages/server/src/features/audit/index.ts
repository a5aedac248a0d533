/** The audit of books, orders and chains: zero findings means sound. */
export { auditJob } from './audit-job.ts';
export { type AuditReport, auditFigures, type Finding, runAudit } from './run-audit.ts';
