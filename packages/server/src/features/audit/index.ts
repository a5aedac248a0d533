/** The audit: zero findings means sound. */
export { type AuditReport, type Finding, runAudit } from './run-audit.ts';
