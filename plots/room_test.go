package plots

import "testing"

// A row for each setting, its values in order, the picked one ringed; long names are cut to their place.
func TestRoom(t *testing.T) {
	golden(t, "room", &Room{
		Title:    "embedded: how far each recommended setting can move",
		Subtitle: "Goals: success_ratio>=99%; below each value, latency_p95_s",
		Rows: []RoomRow{
			{"retry.attempts", []RoomValue{
				{Name: "2", State: Breaks, Effect: "18.2"}, {Name: "4", State: Breaks, Effect: "19.1"},
				{Name: "6", Picked: true, Effect: "19.9"}, {Name: "10", Effect: "19.9"},
			}},
			{"exponential.base", []RoomValue{
				{Name: "250ms", State: Breaks, Effect: "18.8"}, {Name: "500ms", State: Open, Effect: "19.2"},
				{Name: "1s", Picked: true, Effect: "19.9"}, {Name: "2s", Effect: "19.9"}, {Name: "8s", Effect: "21.1"},
			}},
			{"retry.retry_after", []RoomValue{
				{Name: "ignore", State: Breaks}, {Name: "in_full", Picked: true},
				{Name: "{obey: up_to, limit: 60s, beyond: give_up}"},
			}},
		},
	})
}
