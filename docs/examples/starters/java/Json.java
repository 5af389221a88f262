// SPDX-License-Identifier: Apache-2.0

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** A JSON object as it was read, in as much as this example needs. Take the library that your scheduler has instead. */
final class Json {
  private final Map<String, Object> members = new LinkedHashMap<>();

  Set<String> names() {
    return members.keySet();
  }

  void put(String name, Object value) {
    members.put(name, value);
  }

  /** Returns the member, or an empty object. */
  Json get(String name) {
    return members.get(name) instanceof Json object ? object : new Json();
  }

  /** Returns the member as text, also that of a number, or an empty one. */
  String text(String name) {
    Object value = members.get(name);
    return value == null ? "" : value.toString();
  }

  /** Returns the objects of a list, or none. */
  List<Json> list(String name) {
    return members.get(name) instanceof List<?> items ? items.stream().map(Json.class::cast).toList() : List.of();
  }

  static Json read(String text) {
    return (Json) new Reader(text).value();
  }

  static String write(Object value) {
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream().map(each -> write(each.getKey()) + ":" + write(each.getValue()))
          .collect(Collectors.joining(",", "{", "}"));
    }
    if (value instanceof List<?> items) {
      return items.stream().map(Json::write).collect(Collectors.joining(",", "[", "]"));
    }
    return '"' + value.toString().replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  private static final class Reader {
    private final String text;
    private int at;

    Reader(String text) {
      this.text = text;
    }

    Object value() {
      switch (next()) {
        case '{':
          Json object = new Json();
          for (at++; more('}'); ) {
            String name = string();
            next();
            at++;
            object.put(name, value());
          }
          return object;
        case '[':
          List<Object> items = new ArrayList<>();
          for (at++; more(']'); ) {
            items.add(value());
          }
          return items;
        case '"':
          return string();
        default:
          int start = at;
          while (at < text.length() && ",]} ".indexOf(text.charAt(at)) < 0) {
            at++;
          }
          String word = text.substring(start, at);
          return word.equals("null") ? null : word;
      }
    }

    private char next() {
      while (text.charAt(at) == ' ') {
        at++;
      }
      return text.charAt(at);
    }

    /** Goes to the next item of an object or a list, or behind its end, and returns whether there is an item. */
    private boolean more(char end) {
      if (next() == ',') {
        at++;
      }
      if (next() != end) {
        return true;
      }
      at++;
      return false;
    }

    private String string() {
      StringBuilder read = new StringBuilder();
      for (at++; text.charAt(at) != '"'; at++) {
        char character = text.charAt(at);
        if (character == '\\') {
          character = text.charAt(++at);
          if (character == 'u') {
            character = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
            at += 4;
          } else if ("bfnrt".indexOf(character) >= 0) {
            character = "\b\f\n\r\t".charAt("bfnrt".indexOf(character));
          }
        }
        read.append(character);
      }
      at++;
      return read.toString();
    }
  }
}
