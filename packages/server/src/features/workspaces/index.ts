/** What the rest of the server may use of workspaces. */
import type { HandlersOf } from '../../access/call.ts';
import type { JobDefinition } from '../../platform/jobs/job.ts';
import { generate } from './generate.ts';
import { listWorkspaceRequests } from './list-requests.ts';
import { requestTimeouts } from './request-timeout.ts';
import type { WorkspacesContext } from './workspaces-context.ts';

export function workspaceHandlers(context: WorkspacesContext): HandlersOf<'workspaces'> {
  return { generate: generate(context), listRequests: listWorkspaceRequests(context) };
}

export function workspaceJobs(context: WorkspacesContext): readonly JobDefinition[] {
  return [requestTimeouts(context)];
}
