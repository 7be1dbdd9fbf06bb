import { IconBox, IconChevronDown, IconChevronRight, IconCpu, IconHourglass, IconPoint, IconRobot, IconTool } from '@tabler/icons-react';
import { cut } from '../../../kit/brief.ts';
import { number } from '../../../kit/number.ts';
import { duration } from '../../../kit/time.ts';
import type { Axis } from './axis.ts';
import { aboutOf, type SpanType, typeOf } from './facts.ts';
import styles from './timeline.module.css';
import { endOf, type Row, startOf } from './tree.ts';

const ICONS: Record<SpanType, typeof IconBox> = { run: IconRobot, wait: IconHourglass, model: IconCpu, tool: IconTool, sandbox: IconBox, other: IconPoint };
/** Levels beyond it are drawn at it: an agent may nest as deep as it likes. */
const MAX_DEPTH = 14;

export interface SpanRowProps {
  row: Row;
  index: number;
  start: number;
  axis: Axis;
  now: number;
  isSelected: boolean;
  onSelect(span: string, look: true): void;
  onToggle(span: string, isClosed: boolean): void;
}

export function SpanRow({ row: { span, depth, children, isClosed, isFound, same }, index, start, axis, now, isSelected, onSelect, onToggle }: SpanRowProps) {
  const type = typeOf(span);
  const Icon = ICONS[type];
  const Chevron = isClosed ? IconChevronRight : IconChevronDown;
  const [from, to] = [startOf(span), endOf(span, now)];
  const [left, right] = [axis.at(from), axis.at(to)];
  const isOutside = to < axis.range.from || from > axis.range.to;
  const about = aboutOf(span);
  return (
    <div
      id={`span-${span.span_id}`}
      role="row"
      aria-level={depth + 1}
      aria-rowindex={index + 1}
      aria-selected={isSelected}
      {...(children > 0 && { 'aria-expanded': !isClosed })}
      className={styles.row}
      data-bad={span.status === 'error' || undefined}
      data-faint={!isFound || undefined}
      style={{ transform: `translateY(${start}px)` }}
      onClick={() => onSelect(span.span_id, true)}
    >
      <div role="gridcell" className={styles.name} style={{ paddingInlineStart: 6 + Math.min(depth, MAX_DEPTH) * 13 }}>
        {children > 0 ? (
          <span
            className={styles.chevron}
            title={isClosed ? `Show the ${children} below` : 'Hide what is below'}
            onClick={(event) => {
              event.stopPropagation();
              onToggle(span.span_id, !isClosed);
            }}
          >
            <Chevron size={14} />
          </span>
        ) : (
          <span className={styles.chevron} />
        )}
        <Icon size={15} className={styles.icon} data-type={type} />
        <bdi className={styles.words} title={cut(span.name, 300)} data-authored>
          {cut(span.name, 200)}
          {same !== undefined && ` × ${number(same)}`}
        </bdi>
        <span className={styles.time}>
          {duration(to - from)}
          {span.end_ns === null && ' …'}
        </span>
      </div>
      <div role="gridcell" className={styles.line}>
        {!isOutside && (
          <>
            <span
              className={styles.bar}
              data-type={type}
              data-open={span.end_ns === null || undefined}
              style={{ insetInlineStart: `${left * 100}%`, width: `max(2px, ${(right - left) * 100}%)` }}
            />
            {about !== '' && (
              <span
                className={styles.about}
                {...(right > 0.6
                  ? { style: { insetInlineEnd: `calc(${(1 - left) * 100}% + 8px)` }, 'data-over': left < 0.3 || undefined }
                  : { style: { insetInlineStart: `calc(${right * 100}% + 8px)` } })}
              >
                <bdi>{about}</bdi>
              </span>
            )}
          </>
        )}
      </div>
    </div>
  );
}
