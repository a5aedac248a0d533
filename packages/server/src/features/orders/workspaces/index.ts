/** Public API of workspaces. */
import type { HandlersOf } from '../../../access/call.ts';
import type { JobDefinition } from '../../../platform/jobs/job.ts';
import type { OrderRequests, OrdersContext } from '../index.ts';
import { answerRequest } from './answer-request.ts';
import { failOpenRequests } from './fail-request.ts';
import { generate } from './generate.ts';
import { listWorkspaceRequests } from './list-requests.ts';
import { requestTimeouts } from './request-timeout.ts';
import type { WorkspacesContext } from './workspaces-context.ts';

export function workspaceHandlers(context: WorkspacesContext): HandlersOf<'workspaces'> {
  return { generate: generate(context), listRequests: listWorkspaceRequests(context) };
}

/** Workspace requests as orders use them. */
export const orderRequests: OrderRequests<OrdersContext> = { answer: answerRequest, failOpen: failOpenRequests };

export function workspaceJobs(context: WorkspacesContext): readonly JobDefinition[] {
  return [requestTimeouts(context)];
}

export { extendRequests } from './extend-restored.ts';
