// Server-sent events from the pieces of text that arrive; a piece may end anywhere.

export interface ServerEvent {
  event: string;
  id: string;
  data: string;
}

export class EventParser {
  private rest = '';
  private event = '';
  private id = '';
  private data: string[] = [];

  push(piece: string): ServerEvent[] {
    const lines = (this.rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop()!;
    const events: ServerEvent[] = [];
    for (const line of lines) {
      if (line === '') {
        if (this.data.length > 0) events.push({ event: this.event || 'message', id: this.id, data: this.data.join('\n') });
        this.event = '';
        this.data = [];
        continue;
      }
      const [, field = '', value = ''] = /^([^:]*)(?:: ?([\s\S]*))?$/.exec(line) ?? [];
      if (field === 'event') this.event = value;
      else if (field === 'id') this.id = value;
      else if (field === 'data') this.data.push(value);
      // a line that begins with a colon is a sign of life
    }
    return events;
  }
}
