// What a workflow did, without when and to whom: equal for two runs of the same code that went the same way.
import { z } from 'zod';

const named = z.looseObject({ name: z.string() }).optional();
const Event = z.looseObject({
  eventType: z.string(),
  activityTaskScheduledEventAttributes: z.looseObject({ activityType: named }).optional(),
  startChildWorkflowExecutionInitiatedEventAttributes: z.looseObject({ workflowType: named }).optional(),
  signalExternalWorkflowExecutionInitiatedEventAttributes: z.looseObject({ signalName: z.string() }).optional(),
  markerRecordedEventAttributes: z.looseObject({ markerName: z.string(), details: z.unknown() }).optional(),
  timerStartedEventAttributes: z.looseObject({ startToFireTimeout: z.unknown() }).optional(),
});
const History = z.looseObject({ events: z.array(Event) });

/** Commands in their order; how the tasks between them fell does not count. */
export function shapeOf(history: unknown): string {
  return History.parse(history)
    .events.flatMap((event) => commandOf(event) ?? [])
    .join('\n');
}

function commandOf(event: z.infer<typeof Event>): string | undefined {
  const kind = event.eventType.replace(/^EVENT_TYPE_/, '');
  switch (kind) {
    case 'ACTIVITY_TASK_SCHEDULED':
      return `${kind} ${event.activityTaskScheduledEventAttributes?.activityType?.name}`;
    case 'START_CHILD_WORKFLOW_EXECUTION_INITIATED':
      return `${kind} ${event.startChildWorkflowExecutionInitiatedEventAttributes?.workflowType?.name}`;
    case 'SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED':
      return `${kind} ${event.signalExternalWorkflowExecutionInitiatedEventAttributes?.signalName}`;
    case 'MARKER_RECORDED':
      return `${kind} ${event.markerRecordedEventAttributes?.markerName} ${JSON.stringify(event.markerRecordedEventAttributes?.details)}`;
    case 'TIMER_STARTED':
    case 'TIMER_CANCELED':
    case 'WORKFLOW_EXECUTION_UPDATE_ACCEPTED':
    case 'WORKFLOW_EXECUTION_UPDATE_COMPLETED':
    case 'WORKFLOW_EXECUTION_COMPLETED':
    case 'WORKFLOW_EXECUTION_FAILED':
    case 'WORKFLOW_EXECUTION_CANCELED':
    case 'WORKFLOW_EXECUTION_CONTINUED_AS_NEW':
      return kind;
    default:
      return undefined;
  }
}
